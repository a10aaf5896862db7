#include "shared_data.hpp"

#include "together.hpp"

#include <stdexcept>

namespace demo {

SharedData::SharedData(MPI_Comm communicator, const std::filesystem::path& file) : communicator_(communicator) {
  together(communicator_, [&] {
    expect_mpi(MPI_File_open(communicator_, file.c_str(), MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file_),
               "opening the data");
  });
}

SharedData::~SharedData() { MPI_File_close(&file_); }

void SharedData::resize(std::uint64_t size) {
  together(communicator_, [&] {
    expect_mpi(MPI_File_set_size(file_, static_cast<MPI_Offset>(size)), "setting the size of the data");
  });
}

void SharedData::write(std::uint64_t version, const Range& range, Checksum& checksum,
                       const std::function<bool()>& may_go_on) {
  Block block;
  for (std::uint64_t done = 0; done < range.size; done += block.size()) {
    if (!may_go_on()) throw std::runtime_error("the lease was lost while writing; the data set is unfinished");
    make_block(block, version, range.offset + done, next_block(range.size - done));
    checksum.add(block.data(), block.size());
    write_block(block, range.offset + done);
  }
}

void SharedData::write_block(const Block& block, std::uint64_t offset) {
  expect_mpi(MPI_File_write_at(file_, static_cast<MPI_Offset>(offset), block.data(), static_cast<int>(block.size()),
                               MPI_BYTE, MPI_STATUS_IGNORE),
             "writing the data");
}

void SharedData::sync() {
  together(communicator_, [&] { expect_mpi(MPI_File_sync(file_), "syncing the data"); });
}

}  // namespace demo

// The data file as a communicator writes it: each rank its own part, through MPI-IO.
#pragma once

#include "checksum.hpp"
#include "content.hpp"

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <functional>

namespace demo {

class SharedData {
 public:
  // Collective. Opens the file for writing in place. Throws on all ranks or on none, like resize() and sync().
  SharedData(MPI_Comm communicator, const std::filesystem::path& file);
  SharedData(const SharedData&) = delete;
  SharedData& operator=(const SharedData&) = delete;

  // Collective, because closing an MPI file is: when a step failed, all ranks have to unwind together.
  ~SharedData();

  // Collective.
  void resize(std::uint64_t size);

  // This rank alone. Writes the piece `range` of `version` and adds it to `checksum`. Throws when `may_go_on`, asked
  // before each block, says no.
  void write(std::uint64_t version, const Range& range, Checksum& checksum, const std::function<bool()>& may_go_on);

  // Collective. What was written is on the storage afterwards.
  void sync();

 private:
  void write_block(const Block& block, std::uint64_t offset);

  MPI_Comm communicator_;
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace demo

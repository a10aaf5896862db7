#include "world.hpp"

#include <time.h>
#include <rwlease/mpi.hpp>

#include <algorithm>
#include <new>

namespace rwlease::mpi::test {
namespace {

constexpr int text_size = 4096;

std::string described(const char* type, const Error& error) {
  return std::string(type) + " | " + error.operation() + " | " + error.path() + " | " + error.cause() + " | " +
         error.code().category().name() + ":" + std::to_string(error.code().value());
}

}  // namespace

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

void barrier() { MPI_Barrier(MPI_COMM_WORLD); }

std::vector<std::string> gather(const std::string& own) {
  std::vector<char> sent(text_size, '\0');
  std::copy_n(own.data(), std::min<std::size_t>(own.size(), text_size - 1), sent.data());
  std::vector<char> all(static_cast<std::size_t>(world_size()) * text_size);
  MPI_Allgather(sent.data(), text_size, MPI_CHAR, all.data(), text_size, MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (std::size_t start = 0; start < all.size(); start += text_size) texts.emplace_back(&all[start]);
  return texts;
}

std::vector<std::int64_t> gather(std::int64_t own) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(world_size()));
  MPI_Allgather(&own, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  return all;
}

std::int64_t from_rank(int rank, std::int64_t own) {
  MPI_Bcast(&own, 1, MPI_INT64_T, rank, MPI_COMM_WORLD);
  return own;
}

::testing::AssertionResult same_everywhere(const std::string& own) {
  const std::vector<std::string> all = gather(own);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] != all[0]) {
      return ::testing::AssertionFailure() << "rank 0: " << all[0] << "\nrank " << rank << ": " << all[rank];
    }
  }
  return ::testing::AssertionSuccess();
}

std::int64_t boot_now() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::string describe_current_exception() {
  try {
    throw;
  } catch (const PeerTimeout& error) {
    return described("PeerTimeout", error);
  } catch (const MpiError& error) {
    return described("MpiError", error);
  } catch (const InvalidOptions& error) {
    return described("InvalidOptions", error);
  } catch (const UsageError& error) {
    return described("UsageError", error);
  } catch (const Timeout& error) {
    return described("Timeout", error);
  } catch (const Cancelled& error) {
    return described("Cancelled", error);
  } catch (const LeaseLost& error) {
    return described("LeaseLost", error);
  } catch (const UnsafeDirectory& error) {
    return described("UnsafeDirectory", error);
  } catch (const Error& error) {
    return described("Error", error);
  } catch (const std::bad_alloc&) {
    return "bad_alloc";
  } catch (const std::exception& error) {
    return std::string("exception | ") + error.what();
  }
}

void WorldTest::SetUp() {
  if (world_rank() == 0) scratch_.emplace();
  directory_ = gather(scratch_ ? scratch_->directory().string() : "").at(0);
}

void WorldTest::TearDown() {
  barrier();
  scratch_.reset();
}

}  // namespace rwlease::mpi::test

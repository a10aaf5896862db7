#include "write_rounds.hpp"

#include "data_set.hpp"
#include "shared_data.hpp"
#include "together.hpp"

#include <rwlease/mpi.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace demo {
namespace {

constexpr int root = 0;

// How much a rank writes between two collective looks at the lease.
constexpr std::uint64_t stretch_size = 64 * block_size;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// One rewriting of the data set under one lease; all members are collective.
class Rewriting {
 public:
  Rewriting(MPI_Comm communicator, const DataSet& set, rwlease::mpi::Lease& lease)
      : communicator_(communicator), set_(set), lease_(lease), is_root_(rank_of(communicator) == root) {}

  // The manifest that was published; complete on the root only.
  Manifest run(std::uint64_t size);

 private:
  void begin();
  Part write_part(std::uint64_t size);
  void gather(Part own);
  void publish();

  MPI_Comm communicator_;
  const DataSet& set_;
  rwlease::mpi::Lease& lease_;
  bool is_root_;
  Manifest base_;
  Manifest next_;
};

Manifest Rewriting::run(std::uint64_t size) {
  begin();
  gather(write_part(size));
  publish();
  return next_;
}

void Rewriting::begin() {
  together(communicator_, [&] {
    if (is_root_) base_ = begin_version(set_, lease_.fence());
  });
  expect_mpi(MPI_Bcast(&base_.version, 1, MPI_UINT64_T, root, communicator_), "telling the version");
  next_.version = base_.version + 1;
  next_.fence = lease_.fence();
}

Part Rewriting::write_part(std::uint64_t size) {
  const auto ranks = static_cast<unsigned>(size_of(communicator_));
  const Range own = part_range(size, static_cast<unsigned>(rank_of(communicator_)), ranks);
  const std::uint64_t largest = part_range(size, ranks - 1, ranks).size;
  Checksum checksum;
  SharedData data(communicator_, set_.data());
  data.resize(size);
  for (std::uint64_t done = 0; done < largest; done += stretch_size) {
    const std::uint64_t left = own.size - std::min(done, own.size);
    const Range stretch{own.offset + done, std::min(left, stretch_size)};
    together(communicator_, [&] { data.write(next_.version, stretch, checksum, [&] { return lease_.valid(); }); });
    if (lease_.check() != rwlease::LeaseState::valid) throw std::runtime_error("the lease was lost while writing");
  }
  data.sync();
  return {own, checksum.value()};
}

void Rewriting::gather(Part own) {
  const auto ranks = static_cast<std::size_t>(size_of(communicator_));
  const std::uint64_t sent[3] = {own.range.offset, own.range.size, own.checksum};
  std::vector<std::uint64_t> received(ranks * 3);
  expect_mpi(MPI_Gather(sent, 3, MPI_UINT64_T, received.data(), 3, MPI_UINT64_T, root, communicator_),
             "gathering checksums");
  if (!is_root_) return;
  for (std::size_t at = 0; at < received.size(); at += 3) {
    next_.parts.push_back({{received[at], received[at + 1]}, received[at + 2]});
  }
}

void Rewriting::publish() {
  together(communicator_, [&] {
    if (!is_root_) return;
    write_manifest(set_.draft(), next_);
    confirm_base(set_, base_);
  });
  lease_.publish(set_.draft(), set_.manifest());
}

void write_round(rwlease::mpi::Lock& lock, MPI_Comm communicator, const Options& options, const Account& account) {
  const DataSet set{options.data};
  const auto asked = std::chrono::steady_clock::now();
  rwlease::mpi::Lease lease = lock.acquire(rwlease::Mode::write);
  const double waited = seconds_since(asked);
  const Manifest written = Rewriting(communicator, set, lease).run(options.size);
  if (lease.release() != rwlease::ReleaseResult::released) {
    throw std::runtime_error("the lease was lost between publishing and releasing");
  }
  if (lock.rank() == root) account.note_done("write", waited, written);
}

rwlease::Options lease_options(const Options& options) {
  rwlease::Options chosen;
  chosen.interval = options.interval;
  chosen.lease = options.lease;
  chosen.label = "rwlease-demo write";
  return chosen;
}

}  // namespace

void write_rounds(MPI_Comm communicator, const Options& options, const Account& account) {
  rwlease::mpi::Lock lock(communicator, options.lock, lease_options(options), root);
  for (unsigned round = 0; round < options.rounds; ++round) write_round(lock, communicator, options, account);
  lock.close();
}

}  // namespace demo

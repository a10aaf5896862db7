// rwlease-demo: writers and checkers of a data set that only a lease protects. See options.cpp for its use.
#include "account.hpp"
#include "data_set.hpp"
#include "options.hpp"
#include "together.hpp"
#include "write_rounds.hpp"

#include <rwlease/mpi.hpp>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>

namespace demo {
namespace {

constexpr int exit_well = 0;
constexpr int exit_violation = 1;
constexpr int exit_failure = 2;

// The lease was granted when `rwlease run` started this program.
double waited_s(const Options& options) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return options.asked_at > 0 ? now.count() - options.asked_at : 0;
}

std::uint64_t fence_from_environment() {
  const char* text = std::getenv("RWLEASE_FENCE");
  if (text == nullptr) throw std::runtime_error("RWLEASE_FENCE is not set: run this under `rwlease run --write`");
  return std::stoull(text);
}

// Runs a serial act; its outcome goes into the account.
template <class Act>
int account_for(const Options& options, const Account& account, Act act) {
  const double waited = waited_s(options);
  try {
    account.note_done(options.mode, waited, act());
    return exit_well;
  } catch (const Violation& violation) {
    account.note_violation(options.mode, waited, violation.what());
    return exit_violation;
  }
}

void expect_ranks(const Options& options) {
  const int size = size_of(MPI_COMM_WORLD);
  if (options.ranks == 0 || options.ranks == size) return;
  throw std::runtime_error("there are " + std::to_string(size) + " ranks where " + std::to_string(options.ranks) +
                           " are expected: mpirun and the MPI library may not belong together");
}

int write(const Options& options, const Account& account) {
  try {
    expect_ranks(options);
    write_rounds(MPI_COMM_WORLD, options, account);
    return exit_well;
  } catch (const rwlease::mpi::MpiError& error) {
    // It may have struck this rank alone; the others would wait for it for ever.
    std::cerr << "rwlease-demo: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, exit_failure);
    return exit_failure;
  } catch (const Violation& violation) {
    account.note_violation(options.mode, 0, violation.what());
    return exit_violation;
  } catch (const std::exception& error) {
    std::cerr << "rwlease-demo: rank " << rank_of(MPI_COMM_WORLD) << ": " << error.what() << std::endl;
    return exit_failure;
  }
}

int write_with_mpi(const Options& options, const Account& account) {
  MPI_Init(nullptr, nullptr);
  const int code = write(options, account);
  MPI_Finalize();
  return code;
}

int run(const Options& options) {
  const Account account(options.account);
  const DataSet set{options.data};
  if (options.mode == "write") return write_with_mpi(options, account);
  if (options.mode == "check") return account_for(options, account, [&] { return check(set); });
  return account_for(options, account,
                     [&] { return rewrite(set, fence_from_environment(), options.size, options.parts); });
}

}  // namespace
}  // namespace demo

int main(int argc, char** argv) {
  try {
    const std::optional<demo::Options> options = demo::parse_options(argc, argv);
    return options ? demo::run(*options) : demo::exit_well;
  } catch (const std::exception& error) {
    std::cerr << "rwlease-demo: " << error.what() << std::endl;
    return demo::exit_failure;
  }
}

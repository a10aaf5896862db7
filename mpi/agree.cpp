#include "agree.hpp"

#include "result_record.hpp"

#include <cerrno>
#include <string_view>

namespace rwlease::mpi::detail {
namespace {

// The layout of the words: each field and its complement, then two that need not be equal.
constexpr std::size_t fields = 4;  // the call and its arguments
constexpr std::size_t oldest_word = 2 * fields;
constexpr std::size_t unable_word = oldest_word + 1;

using Fields = std::array<std::uint64_t, fields>;
using Words = std::array<std::uint64_t, unable_word + 1>;

constexpr const char* operation = "agreeing on a collective call for";

std::string_view name_of(Call call) noexcept {
  constexpr std::array<std::string_view, 8> names = {"Lock()",    "acquire()", "try_acquire()", "check()",
                                                     "publish()", "release()", "close()",       "MPI_Finalize()"};
  return names.at(static_cast<std::size_t>(call));
}

std::string_view argument_name(Call call, std::size_t argument) noexcept {
  using Names = std::array<std::string_view, 3>;
  constexpr Names of_construct = {"root", "path", "options"};
  constexpr Names of_acquire = {"mode", "timeout", ""};
  constexpr Names of_lease = {"lease", "finished path", "target path"};
  switch (call) {
    case Call::construct:
      return of_construct.at(argument);
    case Call::acquire:
    case Call::try_acquire:
      return of_acquire.at(argument);
    default:
      return of_lease.at(argument);
  }
}

Fields fields_of(const Ballot& ballot) noexcept {
  return {static_cast<std::uint64_t>(ballot.call), ballot.arguments[0], ballot.arguments[1], ballot.arguments[2]};
}

Words words_of(const Ballot& ballot, int rank) noexcept {
  Words result{};
  const Fields own = fields_of(ballot);
  for (std::size_t field = 0; field < fields; ++field) {
    result[2 * field] = own[field];
    result[2 * field + 1] = ~own[field];
  }
  result[oldest_word] = ~ballot.oldest_lease;
  result[unable_word] = ballot.able ? 0 : static_cast<std::uint64_t>(rank) + 1;
  return result;
}

// The first field in which not all ranks are alike; `fields` when they are in all.
std::size_t first_difference(const Words& greatest) noexcept {
  std::size_t field = 0;
  while (field < fields && greatest[2 * field] == ~greatest[2 * field + 1]) ++field;
  return field;
}

std::string describe(Call of_zero, std::size_t field, std::uint64_t rank, Call of_rank) {
  const std::string who = "rank " + std::to_string(rank);
  if (field == 0) {
    return who + " called " + std::string(name_of(of_rank)) + ", rank 0 " + std::string(name_of(of_zero)) +
           "; all ranks must make the same calls in the same order";
  }
  const std::string what(argument_name(of_zero, field - 1));
  return who + " gave another " + what + " to " + std::string(name_of(of_zero)) +
         " than rank 0; all ranks must give the same";
}

// Finds the lowest rank that differs from rank 0, and what it called: both packed into one word, the lowest rank
// greatest.
std::uint64_t find_odd_one_out(Communicator& communicator, const Fields& own, const Fields& of_zero,
                               std::size_t field) {
  const auto ranks_above = static_cast<std::uint64_t>(communicator.size() - communicator.rank());
  const std::uint64_t mine = own[field] == of_zero[field] ? 0 : (ranks_above << 8) | own[0];
  std::uint64_t greatest = 0;
  communicator.maximum(&mine, &greatest, 1);
  return greatest;
}

// Rank 0 words the error, so that it reads the same everywhere, with rank 0's path.
void explain_difference(Communicator& communicator, const Ballot& ballot, std::size_t field, const std::string& path) {
  const Fields own = fields_of(ballot);
  Fields of_zero = own;
  communicator.broadcast(of_zero.data(), sizeof of_zero, 0);
  const std::uint64_t odd = find_odd_one_out(communicator, own, of_zero, field);
  const std::uint64_t rank = static_cast<std::uint64_t>(communicator.size()) - (odd >> 8);

  Result result;
  if (communicator.rank() == 0) {
    result.run(operation, path, [&] {
      throw UsageError(operation, path, describe(ballot.call, field, rank, static_cast<Call>(odd & 0xff)));
    });
  }
  share(communicator, 0, result);
  result.throw_if_error();
}

}  // namespace

Agreement::Agreement(Communicator& communicator, const Ballot& ballot, const std::string& path)
    : communicator_(communicator),
      ballot_(ballot),
      path_(path),
      own_(words_of(ballot, communicator.rank())),
      request_(communicator.begin_maximum(own_.data(), greatest_.data(), static_cast<int>(own_.size()))) {}

std::uint64_t Agreement::conclude() {
  communicator_.wait(request_);
  const std::size_t field = first_difference(greatest_);
  if (field < fields) explain_difference(communicator_, ballot_, field, path_);
  if (greatest_[unable_word] != 0) {
    throw Error(operation, path_, "rank " + std::to_string(greatest_[unable_word] - 1) + " has run out of memory",
                std::error_code(ENOMEM, std::generic_category()));
  }
  return ~greatest_[oldest_word];
}

}  // namespace rwlease::mpi::detail

#include "agree.hpp"

#include <rwlease/error.hpp>

#include <cerrno>
#include <string_view>
#include <utility>

namespace rwlease::mpi::detail {
namespace {

// The layout of the words: two for each field, then two that need not be equal.
constexpr std::size_t fields = 4;  // call and lock; the arguments
constexpr std::size_t oldest_word = 2 * fields;
constexpr std::size_t unable_word = oldest_word + 1;

using Words = std::array<std::uint64_t, unable_word + 1>;

// A word whose maximum tells a value and who gave it: the value in the upper bits, below it the rank, the lowest one
// greatest.
constexpr unsigned rank_bits = 24;
constexpr std::uint64_t last_rank = (std::uint64_t{1} << rank_bits) - 1;
constexpr std::uint64_t value_mask = ~std::uint64_t{0} >> rank_bits;

std::uint64_t pack(std::uint64_t value, int rank) noexcept {
  return (value & value_mask) << rank_bits | (last_rank - static_cast<std::uint64_t>(rank));
}

struct Vote {
  std::uint64_t value;
  std::uint64_t rank;
};

Vote unpack(std::uint64_t word) noexcept { return {word >> rank_bits, last_rank - (word & last_rank)}; }

// What does not fit is folded into what does. It guards against mistakes, not against attacks.
std::uint64_t fold(std::uint64_t value) noexcept {
  const std::uint64_t mixed = (value ^ (value >> 33)) * 0xff51afd7ed558ccd;
  return (mixed ^ (mixed >> 33)) & value_mask;
}

std::uint64_t call_and_lock(const Ballot& ballot) noexcept {
  return std::uint64_t{ballot.lock} << 8 | static_cast<std::uint64_t>(ballot.call);
}

Call call_of(const Vote& vote) noexcept { return static_cast<Call>(vote.value & 0xff); }
std::uint32_t lock_of(const Vote& vote) noexcept { return static_cast<std::uint32_t>(vote.value >> 8); }

std::string_view name_of_call(Call call) noexcept {
  constexpr std::array<std::string_view, 9> names = {"Lock()",    "acquire()", "try_acquire()",
                                                     "check()",   "publish()", "downgrade()",
                                                     "release()", "close()",   "MPI_Finalize()"};
  return names.at(static_cast<std::size_t>(call));
}

std::string_view argument_name(Call call, std::size_t argument) noexcept {
  using Names = std::array<std::string_view, 3>;
  constexpr Names of_construct = {"root", "path", "set of options"};
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

Words words_of(const Ballot& ballot, int rank) noexcept {
  const std::array<std::uint64_t, fields> own = {call_and_lock(ballot), fold(ballot.arguments[0]),
                                                 fold(ballot.arguments[1]), fold(ballot.arguments[2])};
  Words result{};
  for (std::size_t field = 0; field < fields; ++field) {
    result[2 * field] = pack(own[field], rank);
    result[2 * field + 1] = pack(~own[field], rank);
  }
  result[oldest_word] = ~ballot.oldest_lease;
  result[unable_word] = ballot.able ? 0 : static_cast<std::uint64_t>(rank) + 1;
  return result;
}

// The lowest ranks that gave the greatest and the smallest value of a field, the lower one first.
std::pair<Vote, Vote> extremes(const Words& greatest, std::size_t field) noexcept {
  const Vote top = unpack(greatest[2 * field]);
  Vote bottom = unpack(greatest[2 * field + 1]);
  bottom.value = ~bottom.value & value_mask;
  return top.rank < bottom.rank ? std::pair(top, bottom) : std::pair(bottom, top);
}

// The first field in which not all ranks are alike; `fields` when they are in all.
std::size_t first_difference(const Words& greatest) noexcept {
  std::size_t field = 0;
  while (field < fields) {
    const auto [one, other] = extremes(greatest, field);
    if (one.value != other.value) break;
    ++field;
  }
  return field;
}

std::string describe_call(const Vote& vote, bool with_lock, const Agreement::NameOf& name_of) {
  std::string text(name_of_call(call_of(vote)));
  if (!with_lock || call_of(vote) == Call::finalize) return text;
  const std::string name = name_of(lock_of(vote));
  return text + (name.empty() ? " of a new lock" : " of the lock on " + name);
}

std::string describe(const Words& greatest, std::size_t field, const Agreement::NameOf& name_of) {
  const auto [low, high] = extremes(greatest, field);
  const std::string who = "rank " + std::to_string(high.rank);
  const std::string than = "rank " + std::to_string(low.rank);
  if (field == 0) {
    const bool with_lock = lock_of(low) != lock_of(high);
    return who + " called " + describe_call(high, with_lock, name_of) + ", " + than + " " +
           describe_call(low, with_lock, name_of) + "; all ranks must make the same calls in the same order";
  }
  const Call call = call_of(extremes(greatest, 0).first);
  return who + " gave another " + std::string(argument_name(call, field - 1)) + " to " +
         std::string(name_of_call(call)) + " than " + than + "; all ranks must give the same";
}

// Where several locks are meant, the one of the lowest rank that is known everywhere.
std::string path_for_error(const Words& greatest, const std::string& own, const Agreement::NameOf& name_of) {
  const auto [low, high] = extremes(greatest, 0);
  if (lock_of(low) == lock_of(high)) return own;
  const std::string first = name_of(lock_of(low));
  return first.empty() ? name_of(lock_of(high)) : first;
}

}  // namespace

Agreement::Agreement(Communicator& communicator, const Ballot& ballot)
    : communicator_(communicator),
      own_(words_of(ballot, communicator.rank())),
      request_(communicator.begin_maximum(own_.data(), greatest_.data(), static_cast<int>(own_.size()))) {}

bool Agreement::same_call() const noexcept { return first_difference(greatest_) > 0; }

std::uint64_t Agreement::conclude(const std::string& path, const NameOf& name_of) const {
  constexpr const char* operation = "agreeing on a collective call for";
  const std::size_t field = first_difference(greatest_);
  if (field < fields) {
    throw UsageError(operation, path_for_error(greatest_, path, name_of), describe(greatest_, field, name_of));
  }
  if (greatest_[unable_word] != 0) {
    throw Error(operation, path, "rank " + std::to_string(greatest_[unable_word] - 1) + " has run out of memory",
                std::error_code(ENOMEM, std::generic_category()));
  }
  return ~greatest_[oldest_word];
}

}  // namespace rwlease::mpi::detail

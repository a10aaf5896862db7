// What came of a step that only the root takes, told to every rank: success, refusal, or an exception rebuilt there.
#pragma once

#include "communicator.hpp"

#include <rwlease/error.hpp>
#include <rwlease/lease.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace rwlease::mpi::detail {

// The fixed part, broadcast on every path. Plain bytes: the ranks of one job run one program on like machines.
struct ResultRecord {
  enum class Outcome : std::int32_t {
    done,
    refused,  // somebody is in the way; only of a try
    error,
    invalid_options,
    usage_error,
    timeout,
    cancelled,
    lease_lost,
    unsafe_directory,
    out_of_memory,
  };
  enum class Category : std::int32_t { none, generic, system };

  Outcome outcome = Outcome::done;
  ReleaseResult release_result = ReleaseResult::released;
  Category category = Category::none;
  std::int32_t code = 0;
  std::uint64_t fence = 0;
  std::uint32_t operation_length = 0;
  std::uint32_t path_length = 0;
  std::uint32_t cause_length = 0;
  std::uint32_t unused = 0;  // no padding, so that no uninitialised byte is sent
};

// Takes no memory while an error is packed, so that running out of it can be told too. Longer texts are cut.
class Result {
 public:
  ResultRecord record;

  // As new.
  void clear() noexcept {
    record = {};
    used_ = 0;
  }

  // Root: runs the step and keeps what it throws. `operation` and `path` name what does not name itself.
  template <class Step>
  void run(std::string_view operation, std::string_view path, Step&& step) noexcept {
    try {
      step();
    } catch (...) {
      keep_current_exception(operation, path);
    }
  }

  // Root: a text that goes with success.
  void add_text(std::string_view text) noexcept { record.cause_length = append(text, text_.size()); }
  std::string_view text() const noexcept { return {text_.data(), text_length()}; }

  // Every rank: the same exception. All throw what was sent, the root too, so that they cannot differ.
  void throw_if_error() const;

 private:
  friend class Telling;

  void keep_current_exception(std::string_view operation, std::string_view path) noexcept;
  void keep(ResultRecord::Outcome outcome, const Error& error) noexcept;
  void keep(std::string_view operation, std::string_view path, std::string_view cause) noexcept;
  void keep(const std::error_code& code) noexcept;
  std::uint32_t append(std::string_view text, std::size_t most) noexcept;
  std::size_t text_length() const noexcept;

  std::array<char, 8192> text_;  // operation, path, cause, one after the other
  std::size_t used_ = 0;
};

// Makes every rank's result root's. Collective: one broadcast, and a second for the text of an error. The root begins
// when its result is ready, the others when they like. The result stays in place until complete() says true, or for
// ever.
class Telling {
 public:
  Telling(Communicator& communicator, int root, Result& result);
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;

  // Does not block.
  bool complete();

 private:
  Communicator& communicator_;
  const int root_;
  Result& result_;
  bool text_under_way_ = false;
  MPI_Request request_;
};

}  // namespace rwlease::mpi::detail

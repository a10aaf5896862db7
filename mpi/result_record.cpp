#include "result_record.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <type_traits>

namespace rwlease::mpi::detail {
namespace {

using Outcome = ResultRecord::Outcome;
using Category = ResultRecord::Category;

static_assert(std::is_trivially_copyable_v<ResultRecord>);
static_assert(std::has_unique_object_representations_v<ResultRecord>, "padding would send uninitialised bytes");

constexpr std::size_t longest_operation = 512;
constexpr std::size_t longest_path = 4096;

Category category_of(const std::error_code& code) noexcept {
  if (!code) return Category::none;
  if (code.category() == std::generic_category()) return Category::generic;
  if (code.category() == std::system_category()) return Category::system;
  return Category::none;  // other categories are objects of one process; their text is in the cause
}

std::error_code code_of(const ResultRecord& record) noexcept {
  switch (record.category) {
    case Category::generic:
      return {record.code, std::generic_category()};
    case Category::system:
      return {record.code, std::system_category()};
    case Category::none:
      break;
  }
  return {};
}

}  // namespace

void Result::keep_current_exception(std::string_view operation, std::string_view path) noexcept {
  try {
    throw;
  } catch (const InvalidOptions& error) {
    keep(Outcome::invalid_options, error);
  } catch (const UsageError& error) {
    keep(Outcome::usage_error, error);
  } catch (const Timeout& error) {
    keep(Outcome::timeout, error);
  } catch (const Cancelled& error) {
    keep(Outcome::cancelled, error);
  } catch (const LeaseLost& error) {
    keep(Outcome::lease_lost, error);
  } catch (const UnsafeDirectory& error) {
    keep(Outcome::unsafe_directory, error);
  } catch (const Error& error) {
    keep(Outcome::error, error);
  } catch (const std::bad_alloc&) {
    record.outcome = Outcome::out_of_memory;
  } catch (const std::system_error& error) {
    keep(operation, path, error.what());
    keep(error.code());
  } catch (const std::exception& error) {
    keep(operation, path, error.what());
  } catch (...) {
    keep(operation, path, "an exception that does not say what it is");
  }
}

void Result::keep(Outcome outcome, const Error& error) noexcept {
  keep(error.operation(), error.path(), error.cause());
  keep(error.code());
  record.outcome = outcome;
}

void Result::keep(std::string_view operation, std::string_view path, std::string_view cause) noexcept {
  record.outcome = Outcome::error;
  used_ = 0;
  record.operation_length = append(operation, longest_operation);
  record.path_length = append(path, longest_path);
  record.cause_length = append(cause, text_.size());
}

void Result::keep(const std::error_code& code) noexcept {
  record.category = category_of(code);
  record.code = code.value();
}

std::uint32_t Result::append(std::string_view text, std::size_t most) noexcept {
  const std::size_t length = std::min({text.size(), most, text_.size() - used_});
  std::copy_n(text.data(), length, text_.data() + used_);
  used_ += length;
  return static_cast<std::uint32_t>(length);
}

std::size_t Result::text_length() const noexcept {
  return std::size_t{record.operation_length} + record.path_length + record.cause_length;
}

void Result::throw_if_error() const {
  std::string_view rest(text_.data(), text_length());
  const auto next = [&rest](std::uint32_t length) {
    std::string piece(rest.substr(0, length));
    rest.remove_prefix(length);
    return piece;
  };
  if (record.outcome == Outcome::done || record.outcome == Outcome::refused) return;
  if (record.outcome == Outcome::out_of_memory) throw std::bad_alloc();

  std::string operation = next(record.operation_length);
  std::string path = next(record.path_length);
  const std::string cause = next(record.cause_length);
  const std::error_code code = code_of(record);
  switch (record.outcome) {
    case Outcome::invalid_options:
      throw InvalidOptions(std::move(operation), std::move(path), cause, code);
    case Outcome::usage_error:
      throw UsageError(std::move(operation), std::move(path), cause, code);
    case Outcome::timeout:
      throw Timeout(std::move(operation), std::move(path), cause, code);
    case Outcome::cancelled:
      throw Cancelled(std::move(operation), std::move(path), cause, code);
    case Outcome::lease_lost:
      throw LeaseLost(std::move(operation), std::move(path), cause, code);
    case Outcome::unsafe_directory:
      throw UnsafeDirectory(std::move(operation), std::move(path), cause, code);
    default:
      throw Error(std::move(operation), std::move(path), cause, code);
  }
}

Telling::Telling(Communicator& communicator, int root, Result& result)
    : communicator_(communicator),
      root_(root),
      result_(result),
      request_(communicator.begin_broadcast(&result.record, sizeof result.record, root)) {}

bool Telling::complete() {
  if (!communicator_.test(request_)) return false;
  const std::size_t length = result_.text_length();
  if (length == 0 || text_under_way_) return true;
  request_ = communicator_.begin_broadcast(result_.text_.data(), length, root_);
  text_under_way_ = true;
  return communicator_.test(request_);
}

}  // namespace rwlease::mpi::detail

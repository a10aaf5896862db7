// What a file system call came back with.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace rwlease::fs {

// An errno, or success. The questions are the ones that the protocol asks.
class [[nodiscard]] Result {
 public:
  constexpr Result() noexcept = default;
  constexpr explicit Result(int error) noexcept : error_(error) {}

  constexpr bool ok() const noexcept { return error_ == 0; }
  constexpr int error() const noexcept { return error_; }

  // The name, or a directory on the way to it, is not there.
  constexpr bool absent() const noexcept { return error_ == ENOENT || error_ == ESTALE; }

  constexpr bool not_empty() const noexcept { return error_ == ENOTEMPTY || error_ == EEXIST; }

  // It may pass by itself: a server or a network that does not answer, not a refusal.
  constexpr bool transient() const noexcept {
    switch (error_) {
      case EIO:
      case EINTR:
      case EAGAIN:
      case ESTALE:
      case ETIMEDOUT:
      case EBUSY:
      case EREMOTEIO:
      case ECONNRESET:
      case ECONNREFUSED:
      case EHOSTUNREACH:
      case ENETUNREACH:
      case EHOSTDOWN:
      case ENOTCONN:
      case ENFILE:
      case EMFILE:
      case ENOMEM:
        return true;
      default:
        return false;
    }
  }

  std::error_code code() const { return {error_, std::generic_category()}; }
  std::string text() const { return code().message(); }

 private:
  int error_ = 0;
};

}  // namespace rwlease::fs

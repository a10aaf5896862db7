// The exceptions of rwlease. Every one names the operation that failed, the path it failed on and the cause.
#pragma once

#include <rwlease/export.hpp>

#include <stdexcept>
#include <string>
#include <system_error>

namespace rwlease {

// The family. what() reads "OPERATION PATH: CAUSE", for instance
// "renaming marker into /scratch/x.rwlease/readers: Disk quota exceeded".
// No message ever contains a marker's token.
class RWLEASE_EXPORT Error : public std::runtime_error {
 public:
  Error(std::string operation, std::string path, const std::string& cause, std::error_code code = {});
  ~Error() override;

  // What was being done, in words: "acquiring read lease", "creating marker in".
  const std::string& operation() const noexcept { return operation_; }

  // The path it was done to; empty where there is none.
  const std::string& path() const noexcept { return path_; }

  // The cause alone, as what() ends with it.
  const std::string& cause() const noexcept { return cause_; }

  // The errno behind it (generic category), or no error where the file system was not the cause.
  const std::error_code& code() const noexcept { return code_; }

 private:
  std::string operation_;
  std::string path_;
  std::string cause_;
  std::error_code code_;
};

// An option, or options together, that cannot work. Nothing was touched.
class RWLEASE_EXPORT InvalidOptions : public Error {
 public:
  using Error::Error;
  ~InvalidOptions() override;
};

// A call that the rules of the lock forbid: an upgrade, a release without a hold. Nothing was changed.
class RWLEASE_EXPORT UsageError : public Error {
 public:
  using Error::Error;
  ~UsageError() override;
};

// The deadline passed before the lease was granted. Nothing of the attempt was left behind.
class RWLEASE_EXPORT Timeout : public Error {
 public:
  using Error::Error;
  ~Timeout() override;
};

// The acquire was cancelled through its Cancel object. Nothing of the attempt was left behind.
class RWLEASE_EXPORT Cancelled : public Error {
 public:
  using Error::Error;
  ~Cancelled() override;
};

// The lease is no longer in force, and the operation needs it to be.
class RWLEASE_EXPORT LeaseLost : public Error {
 public:
  using Error::Error;
  ~LeaseLost() override;
};

// The lock directory is not one to trust: a symlink, not a directory, somebody else's, or open to others.
class RWLEASE_EXPORT UnsafeDirectory : public Error {
 public:
  using Error::Error;
  ~UnsafeDirectory() override;
};

}  // namespace rwlease

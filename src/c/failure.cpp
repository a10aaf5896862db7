#include <rwlease/error.hpp>
#include <rwlease/wrapping.hpp>

#include <cerrno>
#include <new>
#include <system_error>

namespace {

// One for each thread; a text that does not fit into memory is told by the code alone.
struct LastFailure {
  std::string message;
  int error = 0;
};

thread_local LastFailure last_failure;

int keep(int code, const char* message, int error) noexcept {
  last_failure.error = error;
  try {
    last_failure.message = message;
  } catch (const std::bad_alloc&) {
    last_failure.message.clear();
  }
  return code;
}

int keep(int code, const rwlease::Error& error) noexcept { return keep(code, error.what(), error.code().value()); }

}  // namespace

namespace rwlease::wrapping {

int code_of_current_exception() noexcept {
  try {
    throw;
  } catch (const InvalidOptions& error) {
    return keep(RWL_INVALID_OPTIONS, error);
  } catch (const UsageError& error) {
    return keep(RWL_USAGE, error);
  } catch (const Timeout& error) {
    return keep(RWL_TIMEOUT, error);
  } catch (const Cancelled& error) {
    return keep(RWL_CANCELLED, error);
  } catch (const LeaseLost& error) {
    return keep(RWL_LOST, error);
  } catch (const UnsafeDirectory& error) {
    return keep(RWL_UNSAFE_DIRECTORY, error);
  } catch (const Error& error) {
    return keep(error.code() ? RWL_SYSTEM : RWL_OTHER, error);
  } catch (const std::bad_alloc&) {
    return keep(RWL_NO_MEMORY, "out of memory", ENOMEM);
  } catch (const std::system_error& error) {
    return keep(RWL_SYSTEM, error.what(), error.code().value());
  } catch (const std::exception& error) {
    return keep(RWL_OTHER, error.what(), 0);
  } catch (...) {
    return keep(RWL_OTHER, "an exception that does not say what it is", 0);
  }
}

int fail(int code, const std::string& message) noexcept { return keep(code, message.c_str(), 0); }

}  // namespace rwlease::wrapping

extern "C" {

const char* rwl_last_message(void) { return last_failure.message.c_str(); }

int rwl_last_errno(void) { return last_failure.error; }

const char* rwl_strerror(int code) {
  switch (code) {
    case RWL_OK:
      return "done";
    case RWL_BUSY:
      return "somebody is in the way";
    case RWL_TIMEOUT:
      return "the time was over before the lease was granted";
    case RWL_CANCELLED:
      return "cancelled";
    case RWL_LOST:
      return "the lease is not in force";
    case RWL_INVALID_OPTIONS:
      return "options that cannot work";
    case RWL_USAGE:
      return "a call that the rules of the lock forbid";
    case RWL_UNSAFE_DIRECTORY:
      return "the lock directory is not one to trust";
    case RWL_SYSTEM:
      return "the system refused";
    case RWL_NO_MEMORY:
      return "out of memory";
    case RWL_FORKED:
      return "the lease is held by this process's parent";
    case RWL_MPI:
      return "MPI failed";
    case RWL_PEER_TIMEOUT:
      return "other ranks did not come in time";
    case RWL_OTHER:
      return "failed for a reason that the message tells";
    default:
      return "no code of rwlease";
  }
}

}  // extern "C"

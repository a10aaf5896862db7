#include "interruptible.hpp"

#include "exit_codes.hpp"
#include "last_word.hpp"
#include "probe/interrupt.hpp"
#include "probe/survey.hpp"

#include <rwlease/error.hpp>

#include <signal.h>

#include <system_error>

namespace rwlease::cli {

int interruptible(const std::function<int()>& work) {
  probe::note_signals();
  try {
    const LastWord last_word;
    return work();
  } catch (const Cancelled&) {
    return exit_signal_base + probe::noted_signal();
  } catch (const probe::Interrupted& end) {
    return exit_signal_base + end.signal();
  } catch (const std::system_error& error) {
    const bool unread = error.code() == std::errc::broken_pipe && probe::noted_signal() == SIGPIPE;
    if (!unread) throw;
    return exit_signal_base + SIGPIPE;
  }
}

}  // namespace rwlease::cli

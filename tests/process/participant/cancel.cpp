#include "process/participant/cancel.hpp"

#include <signal.h>

namespace rwlease::test {

Cancel& cancel_on_usr1() {
  static auto* cancel = new Cancel;
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_handler = [](int) { cancel->cancel(); };
    ::sigaction(SIGUSR1, &action, nullptr);
    return true;
  }();
  static_cast<void>(installed);
  return *cancel;
}

}  // namespace rwlease::test

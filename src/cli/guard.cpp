#include "guard.hpp"

#include "exit_codes.hpp"
#include "processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

namespace rwlease::cli {
namespace {

// While all is being killed: how often to look for those who came to be meanwhile.
constexpr std::chrono::milliseconds killing_pace{20};

class Guard {
 public:
  explicit Guard(Descriptor channel) : channel_(std::move(channel)) {}

  [[noreturn]] void serve(const std::function<void()>& be_command) {
    watch_children();
    start(be_command);
    let_go_of_streams();
    for (;;) {
      wait_for_event();
      if (!obey()) finish();
      follow_command();
      if (killing_) kill_children();
      look_for_end();
    }
  }

 private:
  void watch_children() {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    signals_ = Descriptor(::signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!signals_.is_open() || !adopt_orphans()) fail(errno);
  }

  void start(const std::function<void()>& be_command) {
    const pid_t guard = ::getpid();
    command_ = ::fork();
    if (command_ < 0) fail(errno);
    if (command_ == 0) become_command(guard, be_command);
    ::setpgid(command_, command_);  // both do it: whoever comes first, the group exists when either needs it
    tell(GuardNews::Kind::started, command_);
  }

  [[noreturn]] void become_command(pid_t guard, const std::function<void()>& be_command) {
    ::setpgid(0, 0);
    channel_.close();
    // Ties our life to the guard's, which may be dead already; then nobody is left who could be told.
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == guard) be_command();
    ::_exit(exit_failure);
  }

  // Whoever reads the command's output must see its end when the command is gone.
  static void let_go_of_streams() {
    const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) ::dup2(nothing.get(), stream);
  }

  void wait_for_event() {
    std::array<pollfd, 2> sources{{{channel_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}}};
    ::poll(sources.data(), sources.size(), killing_ ? static_cast<int>(killing_pace.count()) : -1);
    signalfd_siginfo ignored{};
    while (::read(signals_.get(), &ignored, sizeof ignored) > 0) {
    }
  }

  // False when rwlease is gone.
  bool obey() {
    GuardOrder order{};
    for (;;) {
      const ssize_t got = ::recv(channel_.get(), &order, sizeof order, MSG_DONTWAIT);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return true;
      if (got != static_cast<ssize_t>(sizeof order)) return false;
      if (order.kind == GuardOrder::Kind::end_all) killing_ = true;
      if (order.kind == GuardOrder::Kind::signal) signal(order.signal);
    }
  }

  // The command's zombie keeps the number of its group from meaning anybody else.
  void signal(int number) {
    ::killpg(command_, number);
    if (!ended_) return;
    for (const pid_t child : children()) {
      if (::getpgid(child) != command_) ::kill(child, number);
    }
  }

  void follow_command() {
    siginfo_t info{};
    while (!ended_ && next(P_PID, WSTOPPED | WCONTINUED, info)) tell_status(info);
    while (!ended_ && next(P_ALL, WEXITED | WNOWAIT, info)) {
      if (info.si_pid != command_) {
        ::waitpid(info.si_pid, nullptr, 0);
        continue;
      }
      ended_ = true;
      tell_status(info);
    }
  }

  bool next(idtype_t whom, int events, siginfo_t& info) const {
    info.si_pid = 0;
    const id_t id = whom == P_PID ? static_cast<id_t>(command_) : 0;
    return ::waitid(whom, id, &info, events | WNOHANG) == 0 && info.si_pid != 0;
  }

  // As waitpid has it.
  void tell_status(const siginfo_t& info) {
    switch (info.si_code) {
      case CLD_EXITED:
        return tell(GuardNews::Kind::changed, (info.si_status & 0xff) << 8);
      case CLD_STOPPED:
        return tell(GuardNews::Kind::changed, info.si_status << 8 | 0x7f);
      case CLD_CONTINUED:
        return tell(GuardNews::Kind::changed, 0xffff);
      default:
        return tell(GuardNews::Kind::changed, info.si_status);
    }
  }

  void look_for_end() {
    if (!ended_ || told_all_gone_ || !reap_children(command_)) return;
    told_all_gone_ = true;
    killing_ = false;
    tell(GuardNews::Kind::all_gone, 0);
  }

  [[noreturn]] void finish() {
    channel_.close();
    for (killing_ = true;;) {
      kill_children();
      follow_command();
      if (ended_ && reap_children(command_)) ::_exit(exit_ok);
      wait_for_event();
    }
  }

  void tell(GuardNews::Kind kind, int value) {
    const GuardNews news{kind, value};
    ssize_t put = 0;
    do {
      put = ::send(channel_.get(), &news, sizeof news, MSG_NOSIGNAL);
    } while (put < 0 && errno == EINTR);
  }

  [[noreturn]] void fail(int error) {
    tell(GuardNews::Kind::started, -error);
    ::_exit(exit_failure);
  }

  Descriptor channel_;
  Descriptor signals_;
  pid_t command_ = -1;
  bool ended_ = false;
  bool told_all_gone_ = false;
  bool killing_ = false;
};

}  // namespace

void be_guard(Descriptor channel, const std::function<void()>& be_command) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_NAME, "lease-guard");  // what kills by the name rwlease is to leave it alone
  try {
    Guard(std::move(channel)).serve(be_command);
  } catch (const std::exception&) {
  }
  ::_exit(exit_failure);
}

}  // namespace rwlease::cli

// Another user, another host name, namespaces of its own.
#include "process/participant/setup.hpp"

#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <system_error>

namespace rwlease::test {
namespace {

void require(int outcome, const std::string& what) {
  if (outcome == -1) throw std::system_error(errno, std::generic_category(), what);
}

// So that nothing mounted from now on is seen outside.
void leave_mounts() {
  require(::unshare(CLONE_NEWNS), "leaving the mount namespace");
  require(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "making mounts private");
}

// The outer process only waits, and ends as the inner one did.
void enter_own_pids() {
  require(::unshare(CLONE_NEWPID), "leaving the pid namespace");
  const pid_t inner = ::fork();
  require(inner, "forking");
  if (inner == 0) {
    die_with_parent();
    leave_mounts();
    require(::mount("proc", "/proc", "proc", 0, nullptr), "mounting /proc");
    return;
  }
  int status = 0;
  ::waitpid(inner, &status, 0);
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

void change_host_name(const std::string& name) {
  require(::unshare(CLONE_NEWUTS), "leaving the UTS namespace");
  require(::sethostname(name.data(), name.size()), "setting the host name");
}

void mount_small_disk(const std::string& text) {
  std::istringstream stream(text);
  std::string path;
  std::string size;
  std::string inodes;
  std::getline(stream, path, ':');
  std::getline(stream, size, ':');
  std::getline(stream, inodes, ':');
  leave_mounts();
  const std::string options = "size=" + size + ",nr_inodes=" + inodes + ",mode=0755";
  require(::mount("none", path.c_str(), "tmpfs", 0, options.c_str()), "mounting a small disk");
}

void change_user(const Setup& setup) {
  if (!setup.uid && !setup.gid) return;
  require(::setgroups(setup.groups.size(), setup.groups.data()), "setting groups");
  if (setup.gid) require(::setresgid(*setup.gid, *setup.gid, *setup.gid), "setting the group");
  if (setup.uid) require(::setresuid(*setup.uid, *setup.uid, *setup.uid), "setting the user");
  // A process that changed its user has no say over its /proc entries; one that user started has.
  ::prctl(PR_SET_DUMPABLE, 1);
}

}  // namespace

void die_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

void become(const Setup& setup) {
  if (setup.own_pids) enter_own_pids();
  if (setup.host_name) change_host_name(*setup.host_name);
  if (!setup.small_disk.empty()) mount_small_disk(setup.small_disk);
  change_user(setup);
  if (setup.umask) ::umask(*setup.umask);
}

}  // namespace rwlease::test

// What a participant is told on its command line.
#pragma once

#include "process/participant/points.hpp"

#include <rwlease/options.hpp>

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::test {

// participant LOCK [KEY=VALUE…]; times in milliseconds, yes or no as 1 or 0.
//
//   interval= lease= margin= poll_min= poll_max= stand_back= sole= renew= proof= sharing=owner|group group=GID label=
//                        as rwlease::Options
//   umask=OCTAL          for the process
//   gid=, groups=A,B, uid=   become that user (root only)
//   hostname=TEXT        in a UTS namespace of its own (root only)
//   pidns=1              in a pid namespace of its own, with its own /proc (root only)
//   small_disk=PATH:SIZE:INODES   a tmpfs there, in a mount namespace of its own (root only)
//   tell=POINT, stop=POINT[:NTH], stop_each=POINT[:NTH], die=POINT[:NTH], refuse=beat   see points.hpp
//   log=1                reports what the library logs
//   order=ADDRESS:PORT   holds are stamped by that ordering service, see order.hpp
//   longest_wait=        how long the commands that take the lock many times wait for it each time
struct Setup {
  std::string lock;
  Options options;
  std::optional<mode_t> umask;
  std::optional<uid_t> uid;
  std::optional<gid_t> gid;
  std::vector<gid_t> groups;
  std::optional<std::string> host_name;
  bool own_pids = false;
  std::string small_disk;
  bool log = false;
  std::string order;
  std::chrono::milliseconds longest_wait{60'000};
};

// Plans the points too. Throws std::runtime_error for what it does not know.
Setup parse_setup(int count, char** arguments);

// Makes the process what the setup says; before any thread is started. Throws std::system_error.
void become(const Setup& setup);

// A process that its parent leaves behind, because a test was ended from outside, ends too.
void die_with_parent();

}  // namespace rwlease::test

// An NFS client: turns what a process asks for into requests, and answers from its cache where it believes it may.
#pragma once

#include "fs/result.hpp"
#include "sim/cache.hpp"
#include "sim/server.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rwlease::sim {

struct Process;
struct World;

// One process's use of its host's client; the cache is the host's. As Linux does it: names and attributes are believed
// until the directory seems to have changed, which is asked for now and then; requests go by handles, which follow an
// entry wherever it is renamed to; an own change of a directory voids its listing. What fails for a stale handle is
// tried once more with nothing believed.
class Client {
 public:
  Client(World& world, Process& process) : world_(world), process_(process) {}

  fs::Result open(Handle base, const std::string& path, Handle& opened);
  fs::Result make(Operation operation, Handle base, const std::string& path, const std::string& content, mode_t mode);
  fs::Result make_file(Handle base, const std::string& path, const std::string& content, mode_t mode);
  fs::Result rename(Handle base, const std::string& from, const std::string& to);
  fs::Result remove(Operation operation, Handle base, const std::string& path);
  fs::Result set(Operation operation, Handle base, const std::string& path, std::int64_t number);
  fs::Result look(Handle base, const std::string& path, fs::Attributes& attributes);
  fs::Result glance(Handle base, const std::string& path, fs::Attributes& attributes);
  fs::Result read(Operation operation, Handle base, const std::string& path, std::string& content);
  fs::Result find(Handle base, const std::string& path, Handle& found);
  fs::Result list(Handle directory, std::vector<fs::Entry>& entries);

 private:
  // With nothing believed the second time.
  template <class Call>
  fs::Result twice(Call call);

  class Turn;
  struct Place {
    Handle directory = no_handle;
    std::string_view name;  // empty: the directory itself
  };

  Cache& cache() const;
  Time now() const;
  Reply send(Request request);
  Reply ask(Operation operation, Handle handle);
  int locate(Handle base, std::string_view path, bool anew, Place& place);
  int resolve(Handle base, std::string_view path, bool anew, Handle& found);
  int lookup(Handle directory, std::string_view name, bool anew, Handle& found);
  int refresh_if_old(Handle handle);
  bool forgotten();

  World& world_;
  Process& process_;
};

}  // namespace rwlease::sim

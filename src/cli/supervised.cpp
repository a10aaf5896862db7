#include "supervised.hpp"

#include "holder_id.hpp"
#include "keeper.hpp"
#include "supervisor.hpp"

#include <unistd.h>

#include <filesystem>

namespace rwlease::cli {

ChildEnvironment child_environment(const RunRequest& request) {
  ChildEnvironment environment;
  environment.id = holder_id();
  for (const WantedLock& lock : request.locks) {
    const char* separator = environment.path.empty() ? "" : "\n";
    environment.path += separator + std::filesystem::absolute(lock.path).string();
    environment.mode += separator + std::string(to_string(lock.mode));
  }
  return environment;
}

int run_supervised(const RunRequest& request, SignalInbox& inbox, Child& child, Holding& holding) {
  Keeper keeper(holding, request.deadline());
  Supervisor supervisor(request, inbox, child, keeper);
  const int code = supervisor.run();
  if (supervisor.is_abandoned()) ::_exit(code);
  return code;
}

}  // namespace rwlease::cli

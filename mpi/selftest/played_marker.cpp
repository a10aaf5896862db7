#include "played_marker.hpp"

#include <unistd.h>

#include <random>

namespace rwlease::selftest {
namespace {

constexpr char host[] = "selftest-plays-dead";

std::string new_token() {
  std::random_device device;
  std::string token;
  for (int digit = 0; digit < 32; ++digit) token += "0123456789abcdef"[device() % 16];
  return token;
}

}  // namespace

PlayedMarker::PlayedMarker(const std::string& lock_directory, Mode mode, std::chrono::milliseconds lease,
                           MarkerKind kind)
    : directory_(lock_directory, kind) {
  const std::string pid = std::to_string(getpid());
  const std::string token = new_token();
  const std::string id = std::string(host) + "." + pid + "." + std::to_string(lease.count()) + "." + token;
  const std::string record = "rwlease/1 token=" + token + " pid=" + pid + " host=" + host +
                             " lease=" + std::to_string(static_cast<double>(lease.count()) / 1000) + " sole=0";
  if (mode == Mode::read) {
    publish_reader(id, record);
  } else {
    publish_writer(id, record);
  }
}

void PlayedMarker::publish_reader(const std::string& id, const std::string& record) {
  path_ = "readers/" + id;
  directory_.require(directory_.make_marker("." + id, record), "making marker", path_);
  directory_.require(directory_.rename("." + id, path_), "publishing", path_);
}

void PlayedMarker::publish_writer(const std::string& id, const std::string& record) {
  path_ = "writer/" + id;
  const std::string prepared = "readers/.w." + id;
  directory_.require(directory_.make_directory(prepared), "making", prepared);
  directory_.require(directory_.make_marker(prepared + "/" + id, record), "making marker in", prepared);
  directory_.require(directory_.rename(prepared, "writer"), "claiming", "writer");
}

void PlayedMarker::beat() const { directory_.require(directory_.touch(path_), "touching", path_); }

bool PlayedMarker::gone() const {
  Stamp stamp;
  return is_absent(directory_.look(path_, stamp));
}

}  // namespace rwlease::selftest

#include "team.hpp"

#include "environment.hpp"
#include "session.hpp"

#include <unistd.h>
#include <rwlease/mpi.hpp>

#include <algorithm>
#include <new>

namespace rwlease::mpi::detail {
namespace {

// The attribute's value.
struct Attached {
  std::shared_ptr<Team> team;
};

extern "C" int rwlease_mpi_on_communicator_freed(MPI_Comm, int, void* value, void*) {
  const std::unique_ptr<Attached> attached(static_cast<Attached*>(value));
  attached->team->orphan();
  return MPI_SUCCESS;
}

void require(int code, const char* call, const std::string& path) {
  if (code == MPI_SUCCESS) return;
  throw MpiError(std::string("calling ") + call + " for", path, "an attribute of the communicator was refused", code);
}

int attribute_key() {
  static const int the_key = [] {
    int key = MPI_KEYVAL_INVALID;
    require(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, rwlease_mpi_on_communicator_freed, &key, nullptr),
            "MPI_Comm_create_keyval", "");
    return key;
  }();
  return the_key;
}

std::string named(int size) { return "a communicator of " + std::to_string(size) + " ranks"; }

int size_of(MPI_Comm communicator) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  return size;
}

}  // namespace

std::shared_ptr<Team> Team::of(MPI_Comm communicator, const std::string& path, std::chrono::nanoseconds limit) {
  void* found = nullptr;
  int is_there = 0;
  require(MPI_Comm_get_attr(communicator, attribute_key(), static_cast<void*>(&found), &is_there), "MPI_Comm_get_attr",
          path);
  if (is_there != 0) return static_cast<Attached*>(found)->team;
  auto team = std::make_shared<Team>(communicator, limit);
  enroll(team);
  auto attached = std::make_unique<Attached>(Attached{team});
  require(MPI_Comm_set_attr(communicator, attribute_key(), attached.get()), "MPI_Comm_set_attr", path);
  static_cast<void>(attached.release());  // the communicator has it
  return team;
}

Team::Team(MPI_Comm communicator, std::chrono::nanoseconds limit) : process_(getpid()), roll_call_(communicator_) {
  communicator_.duplicate(communicator, named(size_of(communicator)), limit);
}

void Team::join(const std::shared_ptr<Session>& session) {
  sessions_.push_back(session);
  ++next_number_;
}

std::string Team::name_of(std::uint32_t number) const {
  const auto is_it = [&](const std::shared_ptr<Session>& session) { return session->number() == number; };
  const auto found = std::find_if(sessions_.begin(), sessions_.end(), is_it);
  return found == sessions_.end() ? std::string() : (*found)->path();
}

void Team::leave(const Session& session) noexcept {
  const auto is_it = [&](const std::shared_ptr<Session>& one) { return one.get() == &session; };
  sessions_.erase(std::remove_if(sessions_.begin(), sessions_.end(), is_it), sessions_.end());
  free_when_unneeded();
}

void Team::keep(const std::shared_ptr<Session>& session) noexcept {
  try {
    kept_.push_back(session);
  } catch (...) {  // no memory to note it: it stays by never being destroyed
    static_cast<void>(new (std::nothrow) std::shared_ptr<Session>(session));
  }
}

void Team::orphan() noexcept {
  orphaned_ = true;
  free_when_unneeded();
}

void Team::free_when_unneeded() noexcept {
  const bool needed = !orphaned_ || !sessions_.empty() || !kept_.empty() || roll_call_.given_up();
  if (needed || over_ || process_ != getpid() || !mpi_is_active()) return;
  over_ = true;
  try {
    communicator_.free();
  } catch (const MpiError&) {
    // It stays until MPI_Finalize.
  }
  withdraw(*this);
}

// The communicators are left to MPI_Finalize: freeing them could wait for ranks that finalise theirs in another order.
AtFinalize::Progress Team::finalize() noexcept {
  if (over_ || process_ != getpid()) return Progress::done;
  for (const auto& session : sessions_) session->stop_working();
  try {
    const bool together = !roll_call_.given_up();
    if (together && !sessions_.empty() && !all_finalize()) return Progress::busy;
    over_ = true;
    for (const auto& session : sessions_) together ? session->end() : session->end_alone();
    if (!together) return Progress::kept;
  } catch (...) {  // what the root holds it keeps, since nobody knows whether the others have stopped
    over_ = true;
    return Progress::kept;
  }
  sessions_.clear();
  return Progress::done;
}

// Without waiting: do all ranks finalise? Those still in another call are told so, and come to this later. Where others
// have given up waiting for this rank, it is told so (PeerTimeout).
bool Team::all_finalize() {
  const std::string nothing;
  roll_call_.look({"finalising", nothing, {}, forever});
  if (!finalizing_) finalizing_.emplace(communicator_, Ballot{Call::finalize});
  if (!finalizing_->complete()) return false;
  try {
    finalizing_->conclude("", [this](std::uint32_t number) { return name_of(number); });
  } catch (const UsageError&) {
    finalizing_.reset();
    return false;
  }
  return true;
}

}  // namespace rwlease::mpi::detail

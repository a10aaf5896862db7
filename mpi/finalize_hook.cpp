#include "finalize_hook.hpp"

#include "patient.hpp"

#include <mpi.h>
#include <rwlease/mpi.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace rwlease::mpi::detail {
namespace {

using Objects = std::vector<std::shared_ptr<AtFinalize>>;

struct Registry {
  std::mutex mutex;
  bool installed = false;
  Objects objects;
};

// Never destroyed: MPI_Finalize may be called from a static destructor, and what is still in it then is for the exit
// hook of the core.
Registry& registry() {
  static auto* const the_registry = new Registry;
  return *the_registry;
}

Objects take_all() noexcept {
  Registry& all = registry();
  const std::lock_guard guard(all.mutex);
  return std::exchange(all.objects, {});
}

void keep(Objects unfinished) noexcept {
  Registry& all = registry();
  const std::lock_guard guard(all.mutex);
  all.objects.swap(unfinished);
}

// One turn: drops what is done; true when something is busy.
bool finalize_each(Objects& objects) noexcept {
  bool any_busy = false;
  const auto done = [&](const std::shared_ptr<AtFinalize>& object) {
    const auto progress = object->finalize();
    any_busy = any_busy || progress == AtFinalize::Progress::busy;
    return progress == AtFinalize::Progress::done;
  };
  objects.erase(std::remove_if(objects.begin(), objects.end(), done), objects.end());
  return any_busy;
}

extern "C" int rwlease_mpi_on_finalize(MPI_Comm, int, void*, void*) {
  Objects objects = take_all();
  Patience patience;
  while (finalize_each(objects)) patience.pause();
  keep(std::move(objects));
  return MPI_SUCCESS;
}

void require(int code, const char* call) {
  if (code != MPI_SUCCESS) {
    throw MpiError(std::string("calling ") + call + " for", "MPI_COMM_SELF", "the hook on MPI_Finalize was refused",
                   code);
  }
}

void install() {
  int key = MPI_KEYVAL_INVALID;
  require(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, rwlease_mpi_on_finalize, &key, nullptr),
          "MPI_Comm_create_keyval");
  require(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
  MPI_Comm_free_keyval(&key);  // MPI keeps it as long as the attribute stands
}

}  // namespace

void enroll(std::shared_ptr<AtFinalize> object) {
  Registry& all = registry();
  const std::lock_guard guard(all.mutex);
  if (!all.installed) install();
  all.installed = true;
  all.objects.push_back(std::move(object));
}

void withdraw(const AtFinalize& object) noexcept {
  std::shared_ptr<AtFinalize> last;  // dies after the mutex is free
  Registry& all = registry();
  const std::lock_guard guard(all.mutex);
  const auto found = std::find_if(all.objects.begin(), all.objects.end(),
                                  [&](const std::shared_ptr<AtFinalize>& one) { return one.get() == &object; });
  if (found == all.objects.end()) return;
  last = std::move(*found);
  all.objects.erase(found);
}

}  // namespace rwlease::mpi::detail

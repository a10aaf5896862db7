// What happens to open locks when the application calls MPI_Finalize.
#pragma once

#include <memory>

namespace rwlease::mpi::detail {

class AtFinalize {
 public:
  enum class Progress {
    busy,  // call again
    done,  // drop this object
    kept,  // it cannot be brought to an end: keep this object for the rest of the process
  };

  virtual ~AtFinalize() = default;

  // Called at the beginning of MPI_Finalize, while MPI still works. Does not wait for other ranks, because they may
  // come to their locks in another order: it is called again while it is busy, in turn with the other objects.
  virtual Progress finalize() noexcept = 0;
};

// Until withdrawn, `object` is kept and its finalize() is called in MPI_Finalize: by the delete callback of an
// attribute on MPI_COMM_SELF, which MPI runs before all else. Throws MpiError.
void enroll(std::shared_ptr<AtFinalize> object);

// Drops what enroll() kept; nothing when it is not there any more.
void withdraw(const AtFinalize& object) noexcept;

}  // namespace rwlease::mpi::detail

/* The C interface of the MPI layer from C11: mpi_c_test RANKS DIRECTORY, the directory the same on all ranks */
#include "check.h"

#include <rwlease/rwlease_mpi.h>

#include <string.h>
#include <unistd.h>

static char path[4096];
static int rank, size;

static rwl_mpi_lock* new_lock(void) {
  rwl_mpi_lock* lock = NULL;
  CHECK(rwl_mpi_lock_create(MPI_COMM_WORLD, path, NULL, NULL, &lock) == RWL_OK);
  return lock;
}

static int same_everywhere(long value) {
  long sent[2] = {value, -value}, greatest[2];
  MPI_Allreduce(sent, greatest, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  return greatest[0] == -greatest[1];
}

static void acquire_check_release(void) {
  rwl_mpi_lock* lock = new_lock();
  rwl_mpi_lease* lease = NULL;
  int state = -1;
  for (int mode = RWL_READ; mode <= RWL_WRITE; ++mode) {
    CHECK(rwl_mpi_acquire(lock, mode, -1, NULL, &lease) == RWL_OK);
    CHECK(rwl_mpi_valid(lease) == 1 && rwl_mpi_verify(lease) == 1 && rwl_mpi_mode(lease) == mode);
    CHECK(rwl_mpi_remaining(lease) > 0 && (rwl_mpi_fence(lease) > 0) == (mode == RWL_WRITE));
    CHECK(same_everywhere((long)rwl_mpi_fence(lease)));
    CHECK(rwl_mpi_check(lease, &state) == RWL_OK && state == RWL_STATE_VALID);
    if (mode == RWL_WRITE) {
      CHECK(rwl_mpi_downgrade(lease) == RWL_OK && rwl_mpi_mode(lease) == RWL_READ);
    }
    CHECK(rwl_mpi_release(&lease) == RWL_OK && lease == NULL);
  }
  CHECK(rwl_mpi_close(&lock) == RWL_OK && lock == NULL && rwl_mpi_close(&lock) == RWL_OK);
}

static void requests(void) {
  rwl_mpi_lock* lock = new_lock();
  rwl_mpi_request* request = NULL;
  rwl_mpi_lease* lease = NULL;
  CHECK(rwl_mpi_acquire_async(lock, RWL_WRITE, 60, &request) == RWL_OK);
  for (int over = 0; !over;) CHECK(rwl_mpi_test(request, &over) == RWL_OK);
  CHECK(rwl_mpi_wait(&request, &lease) == RWL_OK && request == NULL);
  CHECK(rwl_mpi_release(&lease) == RWL_OK);
  CHECK(rwl_mpi_acquire_async(lock, RWL_WRITE, 60, &request) == RWL_OK);
  CHECK(rwl_mpi_cancel(&request) == RWL_OK && request == NULL);
  CHECK(rwl_mpi_acquire_async(lock, RWL_READ, 60, &request) == RWL_OK);
  rwl_mpi_request_free(&request);
  CHECK(rwl_mpi_acquire(lock, RWL_WRITE, 60, NULL, &lease) == RWL_OK);
  rwl_mpi_drop(&lease);
  CHECK(rwl_mpi_close(&lock) == RWL_OK);
}

static void publish(void) {
  rwl_mpi_lock* lock = new_lock();
  rwl_mpi_lease* lease = NULL;
  char aside[4200];
  snprintf(aside, sizeof aside, "%s.new", path);
  CHECK(rwl_mpi_acquire(lock, RWL_WRITE, -1, NULL, &lease) == RWL_OK);
  if (rank == 0) {
    FILE* file = fopen(aside, "w");
    CHECK(file != NULL && fclose(file) == 0);
  }
  CHECK(rwl_mpi_publish(lease, aside, path) == RWL_OK && access(path, F_OK) == 0);
  CHECK(rwl_mpi_publish(lease, aside, path) == RWL_SYSTEM && same_everywhere(rwl_last_errno()));
  CHECK(rwl_mpi_release(&lease) == RWL_OK);
  CHECK(rwl_mpi_close(&lock) == RWL_OK);
}

static void failures_are_the_same_on_all(void) {
  rwl_mpi_lock* lock = NULL;
  rwl_mpi_lease* lease = NULL;
  const rwl_mpi_policy wrong_root = {size, 0, -1};
  CHECK(rwl_mpi_lock_create(MPI_COMM_WORLD, path, NULL, &wrong_root, &lock) == RWL_USAGE && lock == NULL);
  CHECK(rwl_mpi_lock_create(MPI_COMM_NULL, path, NULL, NULL, &lock) == RWL_USAGE);
  CHECK(rwl_mpi_lock_create(MPI_COMM_WORLD, NULL, NULL, NULL, &lock) == RWL_USAGE);
  const rwl_mpi_policy last = {size - 1, 1, 60};
  CHECK(rwl_mpi_lock_create(MPI_COMM_WORLD, path, NULL, &last, &lock) == RWL_OK);
  CHECK(rwl_mpi_acquire(lock, RWL_READ, -1, NULL, &lease) == RWL_OK);
  rwl_mpi_lease* upgrade = NULL;
  CHECK(rwl_mpi_try_acquire(lock, RWL_WRITE, &upgrade) == RWL_USAGE && upgrade == NULL);
  rwl_mpi_lock* other = new_lock();
  const int code = rwl_mpi_try_acquire(other, RWL_WRITE, &upgrade);
  CHECK(code == (size == 1 ? RWL_USAGE : RWL_BUSY) && upgrade == NULL);
  CHECK(rwl_mpi_close(&other) == RWL_OK);
  CHECK(rwl_mpi_release(&lease) == RWL_OK);
  CHECK(rwl_mpi_close(&lock) == RWL_OK);
}

static void null_is_harmless(void) {
  int value = 0;
  CHECK(rwl_mpi_valid(NULL) == 0 && rwl_mpi_check(NULL, &value) == RWL_USAGE &&
        rwl_mpi_test(NULL, &value) == RWL_USAGE);
  CHECK(rwl_mpi_release(NULL) == RWL_OK && rwl_mpi_cancel(NULL) == RWL_OK && rwl_mpi_close(NULL) == RWL_OK);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(argc == 3 && atoi(argv[1]) == size);
  snprintf(path, sizeof path, "%s/data", argv[2]);
  acquire_check_release();
  requests();
  publish();
  failures_are_the_same_on_all();
  null_is_harmless();
  MPI_Finalize();
  return 0;
}

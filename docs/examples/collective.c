/* All ranks write one file together, each its line, while they hold the lease: collective FILE */
#include <rwlease/rwlease_mpi.h>

#include <stdio.h>

static void require(int code) {
  if (code == RWL_OK) return;
  fprintf(stderr, "collective: %s\n", rwl_last_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void write_line(const char* path, int rank) {
  enum { width = 16 };
  char line[width + 1];
  MPI_File file;
  snprintf(line, sizeof line, "rank %*d\n", width - 6, rank);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, (MPI_Offset)width * rank, line, width, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  rwl_mpi_lock* lock = NULL;
  rwl_mpi_request* request = NULL;
  rwl_mpi_lease* lease = NULL;
  require(rwl_mpi_lock_create(MPI_COMM_WORLD, argv[1], NULL, NULL, &lock));
  require(rwl_mpi_acquire_async(lock, RWL_WRITE, 60.0, &request));
  for (int over = 0; !over;) require(rwl_mpi_test(request, &over)); /* compute here; root waits beside it */
  require(rwl_mpi_wait(&request, &lease));

  int state = RWL_STATE_LOST;
  require(rwl_mpi_check(lease, &state)); /* the same on all ranks, so all write or none does */
  if (state == RWL_STATE_VALID) write_line(argv[1], rank);
  require(rwl_mpi_release(&lease));
  require(rwl_mpi_close(&lock));
  MPI_Finalize();
  return state == RWL_STATE_VALID ? 0 : 1;
}

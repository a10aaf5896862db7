! All ranks write one file together, each its line, while they hold the lease: collective FILE
program collective
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use rwlease_mpi_f08
  implicit none
  type(rwl_mpi_lock) :: lock
  type(rwl_mpi_request) :: request
  type(rwl_mpi_lease) :: lease
  character(len=4096) :: path
  integer :: rank, state
  logical :: over

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call get_command_argument(1, path)

  call require(rwl_mpi_lock_create(MPI_COMM_WORLD, trim(path), lock))
  call require(rwl_mpi_acquire_async(lock, RWL_WRITE, 60d0, request))
  over = .false.
  do while (.not. over)
    call require(rwl_mpi_test(request, over)) ! compute here; the root waits beside it
  end do
  call require(rwl_mpi_wait(request, lease))

  call require(rwl_mpi_check(lease, state)) ! the same on all ranks, so all write or none does
  if (state == RWL_STATE_VALID) call write_line()
  call require(rwl_mpi_release(lease))
  call require(rwl_mpi_close(lock))
  call MPI_Finalize()

contains

  subroutine require(code)
    integer, intent(in) :: code
    if (code == RWL_OK) return
    write (error_unit, '(2a)') 'collective: ', rwl_last_message()
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine

  subroutine write_line()
    integer, parameter :: width = 16
    character(len=width) :: line
    type(MPI_File) :: file
    write (line, '(a, i10, a)') 'rank ', rank, new_line('a')
    call MPI_File_open(MPI_COMM_WORLD, trim(path), MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file)
    call MPI_File_write_at_all(file, int(width * rank, MPI_OFFSET_KIND), line, width, MPI_CHARACTER, MPI_STATUS_IGNORE)
    call MPI_File_close(file)
  end subroutine
end program

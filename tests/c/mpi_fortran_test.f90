! The Fortran interface of the MPI layer, with `use mpi`: mpi_fortran_test RANKS PATH
program mpi_fortran_test
  use mpi
  use rwlease_mpi
  implicit none
  type(rwl_mpi_lock) :: lock
  type(rwl_mpi_lease) :: lease
  type(rwl_mpi_request) :: request
  character(len=4096) :: path, ranks
  integer :: size, wanted, error, state
  logical :: over

  call MPI_Init(error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call get_command_argument(1, ranks)
  call get_command_argument(2, path)
  read (ranks, *) wanted
  call check(size == wanted, 'one world')

  call check(rwl_mpi_lock_create(MPI_COMM_WORLD, trim(path), lock, policy=rwl_mpi_policy(root=size)) == RWL_USAGE, 'root')
  call check(rwl_mpi_lock_create(MPI_COMM_WORLD, trim(path), lock, policy=rwl_mpi_policy(root=size - 1)) == RWL_OK, 'lock')
  call check(rwl_mpi_acquire(lock, RWL_WRITE, 60d0, lease) == RWL_OK, 'acquire')
  call check(rwl_mpi_valid(lease) .and. rwl_mpi_verify(lease), 'valid')
  call check(rwl_mpi_fence(lease) > 0 .and. rwl_mpi_remaining(lease) > 0, 'fence')
  call check(rwl_mpi_check(lease, state) == RWL_OK .and. state == RWL_STATE_VALID, 'check')
  call check(rwl_mpi_publish(lease, trim(path) // '.missing', trim(path)) == RWL_SYSTEM, 'publish')
  call check(rwl_mpi_downgrade(lease) == RWL_OK, 'downgrade')
  call check(rwl_mpi_release(lease) == RWL_OK, 'release')

  call check(rwl_mpi_acquire_async(lock, RWL_READ, 60d0, request) == RWL_OK, 'acquire_async')
  over = .false.
  do while (.not. over)
    call check(rwl_mpi_test(request, over) == RWL_OK, 'test')
  end do
  call check(rwl_mpi_wait(request, lease) == RWL_OK .and. rwl_mpi_valid(lease), 'wait')
  call rwl_mpi_drop(lease)
  call check(rwl_mpi_try_acquire(lock, RWL_WRITE, lease) == RWL_OK, 'try')
  call check(rwl_mpi_acquire_async(lock, RWL_READ, 60d0, request) == RWL_OK, 'acquire_async again')
  call check(rwl_mpi_cancel(request) == RWL_OK, 'cancel')
  call rwl_mpi_drop(lease)
  call check(rwl_mpi_close(lock) == RWL_OK, 'close')
  call MPI_Finalize(error)

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print '(4a)', 'failed: ', what, '; last: ', rwl_last_message()
    call MPI_Abort(MPI_COMM_WORLD, 1, error)
  end subroutine
end program

! Rewrites a file under a lease: serial FILE TEXT
program serial
  use, intrinsic :: iso_fortran_env, only: error_unit
  use rwlease
  implicit none
  type(rwl_lock) :: lock
  type(rwl_lease) :: lease
  character(len=4096) :: path, text
  integer :: unit

  call get_command_argument(1, path)
  call get_command_argument(2, text)
  call require(rwl_lock_create(trim(path), lock))
  call require(rwl_acquire(lock, RWL_WRITE, 60d0, lease))
  open (newunit=unit, file=trim(path) // '.new', action='write', status='replace')
  write (unit, '(a)', advance='no') trim(text)
  close (unit)
  call require(rwl_lease_publish(lease, trim(path) // '.new', trim(path)))
  call require(rwl_lease_release(lease))
  call rwl_lock_free(lock)

contains

  subroutine require(code)
    integer, intent(in) :: code
    if (code == RWL_OK) return
    write (error_unit, '(2a)') 'serial: ', rwl_last_message()
    error stop 1
  end subroutine
end program

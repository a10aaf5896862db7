! The Fortran interface for one process: fortran_test PATH
program fortran_test
  use, intrinsic :: iso_c_binding, only: c_int64_t
  use rwlease
  implicit none
  type(rwl_options) :: options
  type(rwl_lock) :: lock
  type(rwl_lease) :: lease, other
  character(len=4096) :: path

  call get_command_argument(1, path)
  call check(rwl_options_create(options) == RWL_OK, 'options')
  call check(rwl_options_set(options, RWL_INTERVAL, 10d0) == RWL_OK, 'a number')
  call check(rwl_options_set(options, RWL_LABEL, 'from Fortran') == RWL_OK, 'a text')
  call check(rwl_options_set(options, RWL_LABEL, 1d0) == RWL_INVALID_OPTIONS, 'a number where a text belongs')
  call check(rwl_lock_create(trim(path), lock, options) == RWL_OK, 'lock')
  call rwl_options_free(options)

  call check(rwl_acquire(lock, RWL_WRITE, -1d0, lease) == RWL_OK, 'acquire')
  call check(rwl_lease_valid(lease) .and. rwl_lease_verify(lease), 'valid')
  call check(rwl_lease_state(lease) == RWL_STATE_VALID, 'state')
  call check(rwl_lease_remaining(lease) > 0 .and. rwl_lease_remaining(lease) <= 30, 'remaining, by the options')
  call check(rwl_lease_fence(lease) > 0_c_int64_t, 'fence')
  call check(rwl_try_acquire(lock, RWL_READ, other) == RWL_USAGE, 'refused')
  call check(index(rwl_last_message(), 'downgrade') > 0, 'message')
  call check(rwl_lease_publish(lease, trim(path) // '.missing', trim(path)) == RWL_SYSTEM, 'publish')
  call check(rwl_last_errno() == 2, 'errno')
  call check(rwl_lease_downgrade(lease) == RWL_OK, 'downgrade')
  call check(rwl_try_acquire(lock, RWL_READ, other) == RWL_OK, 'nested')
  call check(rwl_lease_release(other) == RWL_OK .and. rwl_lease_release(lease) == RWL_OK, 'release')
  call check(.not. rwl_lease_valid(lease), 'nothing held')
  call check(rwl_acquire(lock, 9, 0d0, lease) == RWL_USAGE, 'wrong mode')
  call check(len(rwl_strerror(RWL_LOST)) > 3, 'strerror')
  call rwl_lock_free(lock)

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print '(4a)', 'failed: ', what, '; last: ', rwl_last_message()
    error stop 1
  end subroutine
end program

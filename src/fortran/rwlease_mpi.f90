! rwlease for a communicator, for programs that say `use mpi`: communicators are integers. Those that say `use mpi_f08`
! use rwlease_mpi_f08 instead. rwlease_mpi.h says what each procedure does.
module rwlease_mpi
  use, intrinsic :: iso_c_binding
  use rwlease
  implicit none
  public

  type :: rwl_mpi_lock
    type(c_ptr) :: handle = c_null_ptr
  end type
  type :: rwl_mpi_lease
    type(c_ptr) :: handle = c_null_ptr
  end type
  type :: rwl_mpi_request
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! Which rank touches the file system; whether a loss aborts; how long ranks wait for each other (negative: as long as
  ! it takes).
  type, bind(c) :: rwl_mpi_policy
    integer(c_int) :: root = 0
    integer(c_int) :: abort_on_loss = 0
    real(c_double) :: peer_timeout = -1
  end type

  interface rwl_mpi_lock_create
    module procedure create_by_integer
  end interface
  private :: create_by_integer

  interface
    function c_mpi_lock_create(communicator, path, options, policy, lock) bind(c, name='rwl_mpi_lock_create_f')
      import :: c_ptr, c_int, c_char, rwl_mpi_policy
      integer(c_int), value :: communicator
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: options
      type(rwl_mpi_policy), intent(in) :: policy
      type(c_ptr) :: lock
      integer(c_int) :: c_mpi_lock_create
    end function
    function c_mpi_close(lock) bind(c, name='rwl_mpi_close')
      import :: c_ptr, c_int
      type(c_ptr) :: lock
      integer(c_int) :: c_mpi_close
    end function
    function c_mpi_acquire(lock, mode, timeout, cancel, lease) bind(c, name='rwl_mpi_acquire')
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: lock, cancel
      integer(c_int), value :: mode
      real(c_double), value :: timeout
      type(c_ptr) :: lease
      integer(c_int) :: c_mpi_acquire
    end function
    function c_mpi_try_acquire(lock, mode, lease) bind(c, name='rwl_mpi_try_acquire')
      import :: c_ptr, c_int
      type(c_ptr), value :: lock
      integer(c_int), value :: mode
      type(c_ptr) :: lease
      integer(c_int) :: c_mpi_try_acquire
    end function
    function c_mpi_acquire_async(lock, mode, timeout, request) bind(c, name='rwl_mpi_acquire_async')
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: lock
      integer(c_int), value :: mode
      real(c_double), value :: timeout
      type(c_ptr) :: request
      integer(c_int) :: c_mpi_acquire_async
    end function
    function c_mpi_test(request, over) bind(c, name='rwl_mpi_test')
      import :: c_ptr, c_int
      type(c_ptr), value :: request
      integer(c_int) :: over
      integer(c_int) :: c_mpi_test
    end function
    function c_mpi_wait(request, lease) bind(c, name='rwl_mpi_wait')
      import :: c_ptr, c_int
      type(c_ptr) :: request, lease
      integer(c_int) :: c_mpi_wait
    end function
    function c_mpi_cancel(request) bind(c, name='rwl_mpi_cancel')
      import :: c_ptr, c_int
      type(c_ptr) :: request
      integer(c_int) :: c_mpi_cancel
    end function
    function c_mpi_valid(lease) bind(c, name='rwl_mpi_valid')
      import :: c_ptr, c_int
      type(c_ptr), value :: lease
      integer(c_int) :: c_mpi_valid
    end function
    function c_mpi_verify(lease) bind(c, name='rwl_mpi_verify')
      import :: c_ptr, c_int
      type(c_ptr), value :: lease
      integer(c_int) :: c_mpi_verify
    end function
    function c_mpi_remaining(lease) bind(c, name='rwl_mpi_remaining')
      import :: c_ptr, c_double
      type(c_ptr), value :: lease
      real(c_double) :: c_mpi_remaining
    end function
    function c_mpi_fence(lease) bind(c, name='rwl_mpi_fence')
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: lease
      integer(c_int64_t) :: c_mpi_fence
    end function
    function c_mpi_check(lease, state) bind(c, name='rwl_mpi_check')
      import :: c_ptr, c_int
      type(c_ptr), value :: lease
      integer(c_int) :: state
      integer(c_int) :: c_mpi_check
    end function
    function c_mpi_publish(lease, finished, target) bind(c, name='rwl_mpi_publish')
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: lease
      character(kind=c_char), intent(in) :: finished(*), target(*)
      integer(c_int) :: c_mpi_publish
    end function
    function c_mpi_downgrade(lease) bind(c, name='rwl_mpi_downgrade')
      import :: c_ptr, c_int
      type(c_ptr), value :: lease
      integer(c_int) :: c_mpi_downgrade
    end function
    function c_mpi_release(lease) bind(c, name='rwl_mpi_release')
      import :: c_ptr, c_int
      type(c_ptr) :: lease
      integer(c_int) :: c_mpi_release
    end function
    subroutine c_mpi_drop(lease) bind(c, name='rwl_mpi_drop')
      import :: c_ptr
      type(c_ptr) :: lease
    end subroutine
  end interface
  private :: c_mpi_lock_create, c_mpi_close, c_mpi_acquire, c_mpi_try_acquire, c_mpi_acquire_async, c_mpi_test, &
    c_mpi_wait, c_mpi_cancel, c_mpi_valid, c_mpi_verify, c_mpi_remaining, c_mpi_fence, c_mpi_check, c_mpi_publish, &
    c_mpi_downgrade, c_mpi_release, c_mpi_drop

contains

  integer function create_by_integer(communicator, path, lock, options, policy)
    integer, intent(in) :: communicator
    character(len=*), intent(in) :: path
    type(rwl_mpi_lock), intent(inout) :: lock
    type(rwl_options), intent(in), optional :: options
    type(rwl_mpi_policy), intent(in), optional :: policy
    type(rwl_mpi_policy) :: rules
    type(c_ptr) :: chosen
    chosen = c_null_ptr
    if (present(options)) chosen = options%handle
    if (present(policy)) rules = policy
    create_by_integer = int(c_mpi_lock_create(int(communicator, c_int), path // c_null_char, chosen, rules, lock%handle))
  end function

  integer function rwl_mpi_close(lock)
    type(rwl_mpi_lock), intent(inout) :: lock
    rwl_mpi_close = int(c_mpi_close(lock%handle))
  end function

  integer function rwl_mpi_acquire(lock, mode, timeout, lease)
    type(rwl_mpi_lock), intent(in) :: lock
    integer, intent(in) :: mode
    real(c_double), intent(in) :: timeout
    type(rwl_mpi_lease), intent(inout) :: lease
    rwl_mpi_acquire = int(c_mpi_acquire(lock%handle, int(mode, c_int), timeout, c_null_ptr, lease%handle))
  end function

  integer function rwl_mpi_try_acquire(lock, mode, lease)
    type(rwl_mpi_lock), intent(in) :: lock
    integer, intent(in) :: mode
    type(rwl_mpi_lease), intent(inout) :: lease
    rwl_mpi_try_acquire = int(c_mpi_try_acquire(lock%handle, int(mode, c_int), lease%handle))
  end function

  integer function rwl_mpi_acquire_async(lock, mode, timeout, request)
    type(rwl_mpi_lock), intent(in) :: lock
    integer, intent(in) :: mode
    real(c_double), intent(in) :: timeout
    type(rwl_mpi_request), intent(inout) :: request
    rwl_mpi_acquire_async = int(c_mpi_acquire_async(lock%handle, int(mode, c_int), timeout, request%handle))
  end function

  integer function rwl_mpi_test(request, over)
    type(rwl_mpi_request), intent(in) :: request
    logical, intent(out) :: over
    integer(c_int) :: flag
    flag = 0
    rwl_mpi_test = int(c_mpi_test(request%handle, flag))
    over = flag /= 0
  end function

  integer function rwl_mpi_wait(request, lease)
    type(rwl_mpi_request), intent(inout) :: request
    type(rwl_mpi_lease), intent(inout) :: lease
    rwl_mpi_wait = int(c_mpi_wait(request%handle, lease%handle))
  end function

  integer function rwl_mpi_cancel(request)
    type(rwl_mpi_request), intent(inout) :: request
    rwl_mpi_cancel = int(c_mpi_cancel(request%handle))
  end function

  logical function rwl_mpi_valid(lease)
    type(rwl_mpi_lease), intent(in) :: lease
    rwl_mpi_valid = c_mpi_valid(lease%handle) /= 0
  end function

  logical function rwl_mpi_verify(lease)
    type(rwl_mpi_lease), intent(in) :: lease
    rwl_mpi_verify = c_mpi_verify(lease%handle) /= 0
  end function

  real(c_double) function rwl_mpi_remaining(lease)
    type(rwl_mpi_lease), intent(in) :: lease
    rwl_mpi_remaining = c_mpi_remaining(lease%handle)
  end function

  integer(c_int64_t) function rwl_mpi_fence(lease)
    type(rwl_mpi_lease), intent(in) :: lease
    rwl_mpi_fence = c_mpi_fence(lease%handle)
  end function

  integer function rwl_mpi_check(lease, state)
    type(rwl_mpi_lease), intent(in) :: lease
    integer, intent(out) :: state
    integer(c_int) :: verdict
    verdict = RWL_STATE_RELEASED
    rwl_mpi_check = int(c_mpi_check(lease%handle, verdict))
    state = int(verdict)
  end function

  integer function rwl_mpi_publish(lease, finished, target)
    type(rwl_mpi_lease), intent(in) :: lease
    character(len=*), intent(in) :: finished, target
    rwl_mpi_publish = int(c_mpi_publish(lease%handle, finished // c_null_char, target // c_null_char))
  end function

  integer function rwl_mpi_downgrade(lease)
    type(rwl_mpi_lease), intent(in) :: lease
    rwl_mpi_downgrade = int(c_mpi_downgrade(lease%handle))
  end function

  integer function rwl_mpi_release(lease)
    type(rwl_mpi_lease), intent(inout) :: lease
    rwl_mpi_release = int(c_mpi_release(lease%handle))
  end function

  subroutine rwl_mpi_drop(lease)
    type(rwl_mpi_lease), intent(inout) :: lease
    call c_mpi_drop(lease%handle)
  end subroutine
end module

! rwlease for Fortran 2008: the C interface (rwlease.h, which says what each procedure does) with Fortran's strings.
!
! RWL_LEASE of rwlease.h is RWL_LEASE_TIME here, because Fortran does not tell it from the type rwl_lease.
!
! Handles are derived types; one that was not made, or was ended, stands for nothing, and using it is RWL_USAGE. Codes
! are default integers. Durations are seconds; a negative timeout waits as long as it takes, 0 is one try.
!
!   use rwlease
!   type(rwl_lock) :: lock
!   type(rwl_lease) :: lease
!   if (rwl_lock_create('/scratch/data', lock) /= RWL_OK) stop rwl_last_message()
!   if (rwl_acquire(lock, RWL_WRITE, 600d0, lease) == RWL_OK) then
!     ...                                                    ! while rwl_lease_valid(lease)
!     code = rwl_lease_release(lease)
!   end if
module rwlease
  use, intrinsic :: iso_c_binding
  implicit none
  private

  integer, parameter, public :: RWL_OK = 0, RWL_BUSY = 1, RWL_TIMEOUT = 2, RWL_CANCELLED = 3, RWL_LOST = 4, &
    RWL_INVALID_OPTIONS = 5, RWL_USAGE = 6, RWL_UNSAFE_DIRECTORY = 7, RWL_SYSTEM = 8, RWL_NO_MEMORY = 9, &
    RWL_FORKED = 10, RWL_MPI = 11, RWL_PEER_TIMEOUT = 12, RWL_OTHER = 13
  integer, parameter, public :: RWL_READ = 0, RWL_WRITE = 1
  integer, parameter, public :: RWL_STATE_VALID = 0, RWL_STATE_SUSPENDED = 1, RWL_STATE_LOST = 2, &
    RWL_STATE_RELEASED = 3
  integer, parameter, public :: RWL_INTERVAL = 0, RWL_LEASE_TIME = 1, RWL_MARGIN = 2, RWL_POLL_MIN = 3, &
    RWL_POLL_MAX = 4, RWL_STAND_BACK = 5, RWL_GROUP = 6, RWL_SOLE = 7, RWL_PROCESS_GROUP = 8, RWL_RENEW = 9, &
    RWL_TRUST_PROOF_OF_DEATH = 10, RWL_RANKS = 11, RWL_LABEL = 12, RWL_JOB = 13

  type, public :: rwl_options
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: rwl_lock
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: rwl_lease
    type(c_ptr) :: handle = c_null_ptr
  end type

  public :: rwl_strerror, rwl_last_message, rwl_last_errno
  public :: rwl_options_create, rwl_options_free, rwl_options_set
  public :: rwl_lock_create, rwl_lock_free, rwl_acquire, rwl_try_acquire
  public :: rwl_lease_valid, rwl_lease_verify, rwl_lease_state, rwl_lease_remaining, rwl_lease_fence
  public :: rwl_lease_publish, rwl_lease_downgrade, rwl_lease_release

  ! One name for numbers and texts: rwl_options_set(options, RWL_LEASE_TIME, 60d0), ...(options, RWL_LABEL, 'mine').
  interface rwl_options_set
    module procedure set_number, set_text
  end interface

  interface
    function c_strerror(code) bind(c, name='rwl_strerror')
      import :: c_ptr, c_int
      integer(c_int), value :: code
      type(c_ptr) :: c_strerror
    end function
    function c_last_message() bind(c, name='rwl_last_message')
      import :: c_ptr
      type(c_ptr) :: c_last_message
    end function
    function c_last_errno() bind(c, name='rwl_last_errno')
      import :: c_int
      integer(c_int) :: c_last_errno
    end function
    function c_strlen(text) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: c_strlen
    end function
    function c_options_create(options) bind(c, name='rwl_options_create')
      import :: c_ptr, c_int
      type(c_ptr) :: options
      integer(c_int) :: c_options_create
    end function
    subroutine c_options_free(options) bind(c, name='rwl_options_free')
      import :: c_ptr
      type(c_ptr) :: options
    end subroutine
    function c_options_set(options, option, value) bind(c, name='rwl_options_set')
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: options
      integer(c_int), value :: option
      real(c_double), value :: value
      integer(c_int) :: c_options_set
    end function
    function c_options_set_text(options, option, text) bind(c, name='rwl_options_set_text')
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: options
      integer(c_int), value :: option
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int) :: c_options_set_text
    end function
    function c_lock_create(path, options, lock) bind(c, name='rwl_lock_create')
      import :: c_ptr, c_int, c_char
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: options
      type(c_ptr) :: lock
      integer(c_int) :: c_lock_create
    end function
    subroutine c_lock_free(lock) bind(c, name='rwl_lock_free')
      import :: c_ptr
      type(c_ptr) :: lock
    end subroutine
    function c_acquire(lock, mode, timeout, cancel, lease) bind(c, name='rwl_acquire')
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: lock, cancel
      integer(c_int), value :: mode
      real(c_double), value :: timeout
      type(c_ptr) :: lease
      integer(c_int) :: c_acquire
    end function
    function c_try_acquire(lock, mode, lease) bind(c, name='rwl_try_acquire')
      import :: c_ptr, c_int
      type(c_ptr), value :: lock
      integer(c_int), value :: mode
      type(c_ptr) :: lease
      integer(c_int) :: c_try_acquire
    end function
    function c_valid(lease) bind(c, name='rwl_lease_valid')
      import :: c_ptr, c_int
      type(c_ptr), value :: lease
      integer(c_int) :: c_valid
    end function
    function c_verify(lease) bind(c, name='rwl_lease_verify')
      import :: c_ptr, c_int
      type(c_ptr), value :: lease
      integer(c_int) :: c_verify
    end function
    function c_state(lease) bind(c, name='rwl_lease_state')
      import :: c_ptr, c_int
      type(c_ptr), value :: lease
      integer(c_int) :: c_state
    end function
    function c_remaining(lease) bind(c, name='rwl_lease_remaining')
      import :: c_ptr, c_double
      type(c_ptr), value :: lease
      real(c_double) :: c_remaining
    end function
    function c_fence(lease) bind(c, name='rwl_lease_fence')
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: lease
      integer(c_int64_t) :: c_fence
    end function
    function c_publish(lease, finished, target) bind(c, name='rwl_lease_publish')
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: lease
      character(kind=c_char), intent(in) :: finished(*), target(*)
      integer(c_int) :: c_publish
    end function
    function c_downgrade(lease) bind(c, name='rwl_lease_downgrade')
      import :: c_ptr, c_int
      type(c_ptr), value :: lease
      integer(c_int) :: c_downgrade
    end function
    function c_release(lease) bind(c, name='rwl_lease_release')
      import :: c_ptr, c_int
      type(c_ptr) :: lease
      integer(c_int) :: c_release
    end function
  end interface

contains

  function rwl_strerror(code) result(text)
    integer, intent(in) :: code
    character(len=:), allocatable :: text
    text = from_c(c_strerror(int(code, c_int)))
  end function

  function rwl_last_message() result(text)
    character(len=:), allocatable :: text
    text = from_c(c_last_message())
  end function

  integer function rwl_last_errno()
    rwl_last_errno = int(c_last_errno())
  end function

  integer function rwl_options_create(options)
    type(rwl_options), intent(inout) :: options
    rwl_options_create = int(c_options_create(options%handle))
  end function

  subroutine rwl_options_free(options)
    type(rwl_options), intent(inout) :: options
    call c_options_free(options%handle)
  end subroutine

  integer function set_number(options, option, value)
    type(rwl_options), intent(in) :: options
    integer, intent(in) :: option
    real(c_double), intent(in) :: value
    set_number = int(c_options_set(options%handle, int(option, c_int), value))
  end function

  integer function set_text(options, option, text)
    type(rwl_options), intent(in) :: options
    integer, intent(in) :: option
    character(len=*), intent(in) :: text
    set_text = int(c_options_set_text(options%handle, int(option, c_int), text // c_null_char))
  end function

  integer function rwl_lock_create(path, lock, options)
    character(len=*), intent(in) :: path
    type(rwl_lock), intent(inout) :: lock
    type(rwl_options), intent(in), optional :: options
    type(c_ptr) :: chosen
    chosen = c_null_ptr
    if (present(options)) chosen = options%handle
    rwl_lock_create = int(c_lock_create(path // c_null_char, chosen, lock%handle))
  end function

  subroutine rwl_lock_free(lock)
    type(rwl_lock), intent(inout) :: lock
    call c_lock_free(lock%handle)
  end subroutine

  integer function rwl_acquire(lock, mode, timeout, lease)
    type(rwl_lock), intent(in) :: lock
    integer, intent(in) :: mode
    real(c_double), intent(in) :: timeout
    type(rwl_lease), intent(inout) :: lease
    rwl_acquire = int(c_acquire(lock%handle, int(mode, c_int), timeout, c_null_ptr, lease%handle))
  end function

  integer function rwl_try_acquire(lock, mode, lease)
    type(rwl_lock), intent(in) :: lock
    integer, intent(in) :: mode
    type(rwl_lease), intent(inout) :: lease
    rwl_try_acquire = int(c_try_acquire(lock%handle, int(mode, c_int), lease%handle))
  end function

  logical function rwl_lease_valid(lease)
    type(rwl_lease), intent(in) :: lease
    rwl_lease_valid = c_valid(lease%handle) /= 0
  end function

  logical function rwl_lease_verify(lease)
    type(rwl_lease), intent(in) :: lease
    rwl_lease_verify = c_verify(lease%handle) /= 0
  end function

  integer function rwl_lease_state(lease)
    type(rwl_lease), intent(in) :: lease
    rwl_lease_state = int(c_state(lease%handle))
  end function

  real(c_double) function rwl_lease_remaining(lease)
    type(rwl_lease), intent(in) :: lease
    rwl_lease_remaining = c_remaining(lease%handle)
  end function

  integer(c_int64_t) function rwl_lease_fence(lease)
    type(rwl_lease), intent(in) :: lease
    rwl_lease_fence = c_fence(lease%handle)
  end function

  integer function rwl_lease_publish(lease, finished, target)
    type(rwl_lease), intent(in) :: lease
    character(len=*), intent(in) :: finished, target
    rwl_lease_publish = int(c_publish(lease%handle, finished // c_null_char, target // c_null_char))
  end function

  integer function rwl_lease_downgrade(lease)
    type(rwl_lease), intent(in) :: lease
    rwl_lease_downgrade = int(c_downgrade(lease%handle))
  end function

  integer function rwl_lease_release(lease)
    type(rwl_lease), intent(inout) :: lease
    rwl_lease_release = int(c_release(lease%handle))
  end function

  function from_c(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    integer :: i
    call c_f_pointer(pointer, bytes, [c_strlen(pointer)])
    allocate (character(len=size(bytes)) :: text)
    do i = 1, size(bytes)
      text(i:i) = bytes(i)
    end do
  end function
end module

! rwlease_mpi for programs that say `use mpi_f08`: communicators are type(MPI_Comm).
module rwlease_mpi_f08
  use mpi_f08, only: MPI_Comm
  use rwlease
  use rwlease_mpi
  implicit none
  public

  interface rwl_mpi_lock_create
    module procedure create_by_type
  end interface
  private :: create_by_type

contains

  integer function create_by_type(communicator, path, lock, options, policy)
    type(MPI_Comm), intent(in) :: communicator
    character(len=*), intent(in) :: path
    type(rwl_mpi_lock), intent(inout) :: lock
    type(rwl_options), intent(in), optional :: options
    type(rwl_mpi_policy), intent(in), optional :: policy
    create_by_type = rwl_mpi_lock_create(communicator%mpi_val, path, lock, options, policy)
  end function
end module

# Decides which optional parts are built: rwlease_with_mpi, rwlease_with_tools, rwlease_with_tests.
# A part that was asked for and cannot be built is left out with a warning that says why.

function(rwlease_left_out what why)
  message(WARNING "${what} left out: ${why}")
endfunction()

set(rwlease_with_mpi OFF)
if(RWLEASE_BUILD_MPI)
  set(MPI_CXX_SKIP_MPICXX ON) # the C++ bindings that MPI 3 removed
  find_package(MPI COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(rwlease_with_mpi ON)
  else()
    rwlease_left_out("The MPI layer is"
                     "no MPI library for C++ was found (load its module, or set MPI_CXX_COMPILER to its mpicxx)")
  endif()
endif()

set(rwlease_with_tools OFF)
if(RWLEASE_BUILD_TOOLS)
  find_package(Boost 1.66 COMPONENTS program_options)
  find_package(nlohmann_json 3.9)
  if(NOT TARGET Boost::program_options)
    rwlease_left_out("The rwlease command is" "Boost.Program_options was not found (set Boost_ROOT to where it is)")
  elseif(NOT TARGET nlohmann_json::nlohmann_json)
    rwlease_left_out("The rwlease command is" "nlohmann-json was not found (set nlohmann_json_ROOT to where it is)")
  else()
    set(rwlease_with_tools ON)
  endif()
endif()

set(rwlease_with_tests OFF)
if(RWLEASE_BUILD_TESTS AND NOT rwlease_is_top_level)
  rwlease_left_out("The tests are" "they only run in rwlease's own build, not from a project that adds it")
elseif(RWLEASE_BUILD_TESTS)
  find_package(GTest)
  if(TARGET GTest::gmock)
    set(rwlease_with_tests ON)
  else()
    rwlease_left_out("The tests are" "GoogleTest with GoogleMock was not found (set GTest_ROOT to where it is)")
  endif()
endif()

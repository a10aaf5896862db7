# Installs headers, libraries, the command, and what find_package and pkg-config need. The core and the MPI layer are
# exported apart, so that the core loads where there is no MPI.
include(CMakePackageConfigHelpers)

set(rwlease_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/rwlease")

install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/rwlease"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.hpp"
  PATTERN "rwlease.h"
  PATTERN "mpi.hpp" EXCLUDE)

install(TARGETS rwlease EXPORT rwleaseTargets)
install(
  EXPORT rwleaseTargets
  NAMESPACE rwlease::
  DESTINATION "${rwlease_cmake_dir}")

if(rwlease_with_mpi)
  install(FILES "${PROJECT_SOURCE_DIR}/include/rwlease/mpi.hpp" "${PROJECT_SOURCE_DIR}/include/rwlease/rwlease_mpi.h"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/rwlease")
  set_target_properties(rwlease-mpi PROPERTIES EXPORT_NAME mpi)
  install(TARGETS rwlease-mpi EXPORT rwleaseMpiTargets)
  install(
    EXPORT rwleaseMpiTargets
    NAMESPACE rwlease::
    DESTINATION "${rwlease_cmake_dir}")
endif()

if(rwlease_with_fortran)
  install(TARGETS rwlease-fortran EXPORT rwleaseFortranTargets)
  install(
    EXPORT rwleaseFortranTargets
    NAMESPACE rwlease::
    DESTINATION "${rwlease_cmake_dir}")
  if(TARGET rwlease-mpi-fortran)
    install(TARGETS rwlease-mpi-fortran EXPORT rwleaseMpiFortranTargets)
    install(
      EXPORT rwleaseMpiFortranTargets
      NAMESPACE rwlease::
      DESTINATION "${rwlease_cmake_dir}")
  endif()
  install(
    DIRECTORY "${PROJECT_BINARY_DIR}/src/fortran/modules/"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/rwlease/fortran"
    FILES_MATCHING
    PATTERN "*.mod")
endif()

if(rwlease_with_tools)
  install(TARGETS rwlease-cli)
endif()
if(TARGET rwlease-selftest)
  install(TARGETS rwlease-selftest)
endif()

install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/jobs/"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/rwlease/jobs"
  FILES_MATCHING
  PATTERN "*.sbatch"
  PATTERN "mpi_writer.cpp"
  PATTERN "demo" EXCLUDE)

if(RWLEASE_BUILD_DOCS)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/reference/html" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endif()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/src/cmake/rwleaseConfig.cmake.in" "${PROJECT_BINARY_DIR}/rwleaseConfig.cmake"
  INSTALL_DESTINATION "${rwlease_cmake_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/rwleaseConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/rwleaseConfig.cmake" "${PROJECT_BINARY_DIR}/rwleaseConfigVersion.cmake"
        DESTINATION "${rwlease_cmake_dir}")

# pkg-config takes the prefix from where it finds the file, so that an installation can be moved.
file(RELATIVE_PATH rwlease_pc_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
set(rwlease_pc_includedir "\${prefix}")
cmake_path(APPEND rwlease_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
set(rwlease_pc_libdir "\${prefix}")
cmake_path(APPEND rwlease_pc_libdir "${CMAKE_INSTALL_LIBDIR}")
set(rwlease_pc_libs "")
if(rwlease_filesystem_library)
  set(rwlease_pc_libs " -l${rwlease_filesystem_library}")
endif()
set(rwlease_pc_private_libs "-pthread")
set(rwlease_pc_cflags "")
if(NOT BUILD_SHARED_LIBS)
  # Nobody else brings in what a static library needs, nor says that it is one.
  set(rwlease_pc_libs "${rwlease_pc_libs} -pthread")
  set(rwlease_pc_private_libs "")
  set(rwlease_pc_cflags " -DRWLEASE_STATIC")
endif()
configure_file("${PROJECT_SOURCE_DIR}/src/cmake/rwlease.pc.in" "${PROJECT_BINARY_DIR}/rwlease.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/rwlease.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(rwlease_with_mpi)
  configure_file("${PROJECT_SOURCE_DIR}/src/cmake/rwlease-mpi.pc.in" "${PROJECT_BINARY_DIR}/rwlease-mpi.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/rwlease-mpi.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()

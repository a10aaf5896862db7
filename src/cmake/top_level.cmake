# What only rwlease's own build may decide; a project that adds rwlease as a subdirectory decides for itself.

get_property(rwlease_is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT rwlease_is_multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

if(NOT DEFINED BUILD_SHARED_LIBS)
  option(BUILD_SHARED_LIBS "Build shared libraries" ON)
endif()

# Installed programs find the library beside them, in whatever prefix they end up.
if(NOT DEFINED CMAKE_INSTALL_RPATH)
  file(RELATIVE_PATH rwlease_bin_to_lib "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/${rwlease_bin_to_lib}")
endif()

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

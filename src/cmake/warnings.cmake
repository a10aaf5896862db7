# rwlease_warnings(TARGET): the warnings that every target of this project is built with.
# RWLEASE_WERROR makes them errors; that is for CI, not for those who build it with another compiler.
function(rwlease_warnings target)
  target_compile_options(
    ${target}
    PRIVATE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wsign-conversion
            -Wcast-align
            -Wcast-qual
            -Wformat=2
            -Wimplicit-fallthrough
            -Wnon-virtual-dtor
            -Wold-style-cast
            -Woverloaded-virtual
            -Wunused)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wduplicated-branches -Wduplicated-cond -Wlogical-op)
  endif()
  if(RWLEASE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# RWLEASE_SANITIZE holds for every target alike: one that is built without it would hide or invent findings.
if(RWLEASE_SANITIZE STREQUAL "address")
  set(rwlease_sanitize_flags -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(RWLEASE_SANITIZE STREQUAL "thread")
  set(rwlease_sanitize_flags -fsanitize=thread)
elseif(RWLEASE_SANITIZE)
  message(FATAL_ERROR "RWLEASE_SANITIZE is '${RWLEASE_SANITIZE}'; it can be empty, address or thread")
endif()

if(RWLEASE_SANITIZE)
  add_compile_options(${rwlease_sanitize_flags} -fno-omit-frame-pointer)
  add_link_options(${rwlease_sanitize_flags})
endif()

# libFuzzer's own main comes with the fuzzers; all else only counts what it runs through.
if(RWLEASE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

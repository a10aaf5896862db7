// Preloaded into rwlease, it is a file system on which one call does not do what it must. RWLEASE_BREAK says which:
//   claim   a rename replaces a directory that is not empty (by removing nothing and saying that it succeeded)
//   times   setting an entry's times is accepted and does nothing
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cstring>

namespace {

bool broken(const char* what) {
  const char* const chosen = ::getenv("RWLEASE_BREAK");
  return chosen != nullptr && std::strcmp(chosen, what) == 0;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int renameat(int from_directory, const char* from, int to_directory,
                                                               const char* to) {
  static const auto real = next<int (*)(int, const char*, int, const char*)>("renameat");
  const int outcome = real(from_directory, from, to_directory, to);
  const bool refused = outcome == -1 && (errno == ENOTEMPTY || errno == EEXIST);
  return refused && broken("claim") ? 0 : outcome;
}

extern "C" __attribute__((visibility("default"))) int utimensat(int directory, const char* name,
                                                                const struct timespec* times, int flags) {
  static const auto real = next<int (*)(int, const char*, const struct timespec*, int)>("utimensat");
  return broken("times") ? 0 : real(directory, name, times, flags);
}

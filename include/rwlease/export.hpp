// RWLEASE_EXPORT marks what the shared library shows; everything else is built hidden.
#pragma once

#if defined(RWLEASE_STATIC)
#define RWLEASE_EXPORT
#else
#define RWLEASE_EXPORT __attribute__((visibility("default")))
#endif

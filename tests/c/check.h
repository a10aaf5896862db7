/* Checks for tests in C: a failed one ends the program. */
#ifndef RWLEASE_TESTS_C_CHECK_H
#define RWLEASE_TESTS_C_CHECK_H

#include <rwlease/rwlease.h>

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                            \
  do {                                                                                              \
    if (!(condition)) {                                                                             \
      fprintf(stderr, "%s:%d: %s; last: %s\n", __FILE__, __LINE__, #condition, rwl_last_message()); \
      abort();                                                                                      \
    }                                                                                               \
  } while (0)

#endif

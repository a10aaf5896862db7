/* Rewrites a file under a lease: serial FILE TEXT */
#include <rwlease/rwlease.h>

#include <stdio.h>

static int complain(void) {
  fprintf(stderr, "serial: %s\n", rwl_last_message());
  return 1;
}

static int rewrite(rwl_lease* lease, const char* path, const char* text) {
  char aside[4096];
  snprintf(aside, sizeof aside, "%s.new", path);
  FILE* file = fopen(aside, "w");
  if (file == NULL || fputs(text, file) == EOF || fclose(file) != 0) return 1;
  return rwl_lease_publish(lease, aside, path) == RWL_OK ? 0 : complain(); /* renames only while in force */
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  rwl_lock* lock = NULL;
  rwl_lease* lease = NULL;
  if (rwl_lock_create(argv[1], NULL, &lock) != RWL_OK) return complain();
  if (rwl_acquire(lock, RWL_WRITE, 60.0, NULL, &lease) != RWL_OK) return complain();
  int failed = rewrite(lease, argv[1], argv[2]);
  if (rwl_lease_release(&lease) != RWL_OK) failed = complain();
  rwl_lock_free(&lock);
  return failed;
}

/* The C interface from C11: c_test DIRECTORY */
#include "check.h"

#include <rwlease/rwlease.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char path[4096];

static rwl_lock* new_lock(void) {
  rwl_lock* lock = NULL;
  CHECK(rwl_lock_create(path, NULL, &lock) == RWL_OK);
  return lock;
}

static void read_and_write(void) {
  rwl_lock* lock = new_lock();
  rwl_lease* lease = NULL;
  for (int mode = RWL_READ; mode <= RWL_WRITE; ++mode) {
    CHECK(rwl_acquire(lock, mode, -1, NULL, &lease) == RWL_OK);
    CHECK(rwl_lease_valid(lease) == 1 && rwl_lease_verify(lease) == 1);
    CHECK(rwl_lease_mode(lease) == mode && rwl_lease_state(lease) == RWL_STATE_VALID);
    CHECK((rwl_lease_fence(lease) > 0) == (mode == RWL_WRITE));
    CHECK(rwl_lease_remaining(lease) > 0 && rwl_lease_remaining(lease) <= 90);
    CHECK(rwl_lease_release(&lease) == RWL_OK && lease == NULL);
  }
  CHECK(rwl_lease_release(&lease) == RWL_OK);
  rwl_lock_free(&lock);
  CHECK(lock == NULL);
}

static void failures_say_why(void) {
  rwl_lock* lock = NULL;
  rwl_lease* lease = NULL;
  char nowhere[4200];
  snprintf(nowhere, sizeof nowhere, "%s-nowhere/data", path);
  CHECK(rwl_lock_create(nowhere, NULL, &lock) == RWL_OK);
  CHECK(rwl_acquire(lock, RWL_READ, 0, NULL, &lease) == RWL_SYSTEM && lease == NULL);
  CHECK(rwl_last_errno() == 2 && strstr(rwl_last_message(), nowhere) != NULL);
  rwl_lock_free(&lock);
  CHECK(rwl_lock_create("/", NULL, &lock) == RWL_INVALID_OPTIONS && lock == NULL);
  CHECK(rwl_acquire(NULL, RWL_READ, 0, NULL, &lease) == RWL_USAGE);
  lock = new_lock();
  CHECK(rwl_acquire(lock, 7, 0, NULL, &lease) == RWL_USAGE && rwl_acquire(lock, RWL_READ, 0, NULL, NULL) == RWL_USAGE);
  CHECK(rwl_acquire(lock, RWL_READ, 0, NULL, &lease) == RWL_OK);
  rwl_lease* upgrade = NULL;
  CHECK(rwl_acquire(lock, RWL_WRITE, 0, NULL, &upgrade) == RWL_USAGE && upgrade == NULL);
  CHECK(rwl_lease_publish(lease, "a", "b") == RWL_USAGE && rwl_lease_downgrade(lease) == RWL_USAGE);
  CHECK(rwl_lease_valid(lease) == 1);
  CHECK(rwl_lease_release(&lease) == RWL_OK);
  rwl_lock_free(&lock);
  for (int code = RWL_OK; code <= RWL_OTHER + 1; ++code) CHECK(strlen(rwl_strerror(code)) > 3);
}

static void null_is_harmless(void) {
  CHECK(rwl_lease_valid(NULL) == 0 && rwl_lease_verify(NULL) == 0 && rwl_lease_fence(NULL) == 0);
  CHECK(rwl_lease_state(NULL) == RWL_STATE_RELEASED && rwl_lease_downgrade(NULL) == RWL_USAGE);
  rwl_lock* lock = NULL;
  rwl_options* options = NULL;
  rwl_cancel* cancel = NULL;
  rwl_lock_free(&lock);
  rwl_options_free(&options);
  rwl_cancel_free(&cancel);
  rwl_lock_free(NULL);
  rwl_cancel_now(NULL);
}

static void options(void) {
  rwl_options* chosen = NULL;
  rwl_lock* lock = NULL;
  CHECK(rwl_options_create(&chosen) == RWL_OK);
  CHECK(rwl_options_set(chosen, RWL_INTERVAL, 0.5) == RWL_OK && rwl_options_set(chosen, RWL_POLL_MAX, 0.1) == RWL_OK);
  CHECK(rwl_options_set(chosen, RWL_LEASE, 0.6) == RWL_OK);
  CHECK(rwl_lock_create(path, chosen, &lock) == RWL_INVALID_OPTIONS);
  CHECK(strstr(rwl_last_message(), "two intervals") != NULL);
  CHECK(rwl_options_set(chosen, RWL_LEASE, 3) == RWL_OK && rwl_options_set(chosen, RWL_SOLE, 0) == RWL_OK);
  CHECK(rwl_options_set_text(chosen, RWL_LABEL, "from C") == RWL_OK);
  CHECK(rwl_options_set(chosen, RWL_LABEL, 1) == RWL_INVALID_OPTIONS);
  CHECK(rwl_options_set_text(chosen, RWL_LEASE, "3") == RWL_INVALID_OPTIONS);
  CHECK(rwl_options_set(chosen, RWL_RANKS, 1.5) == RWL_INVALID_OPTIONS);
  CHECK(rwl_lock_create(path, chosen, &lock) == RWL_OK);
  rwl_options_free(&chosen);
  rwl_lease* lease = NULL;
  CHECK(rwl_acquire(lock, RWL_READ, 1, NULL, &lease) == RWL_OK);
  CHECK(rwl_lease_remaining(lease) <= 3);
  CHECK(rwl_lease_release(&lease) == RWL_OK);
  rwl_lock_free(&lock);
}

static void publish_and_downgrade(void) {
  rwl_lock* lock = new_lock();
  rwl_lease* lease = NULL;
  char aside[4200];
  snprintf(aside, sizeof aside, "%s.new", path);
  FILE* file = fopen(aside, "w");
  CHECK(file != NULL && fputs("x", file) >= 0 && fclose(file) == 0);
  CHECK(rwl_acquire(lock, RWL_WRITE, 10, NULL, &lease) == RWL_OK);
  CHECK(rwl_lease_publish(lease, aside, path) == RWL_OK && access(path, F_OK) == 0);
  CHECK(rwl_lease_downgrade(lease) == RWL_OK && rwl_lease_mode(lease) == RWL_READ && rwl_lease_valid(lease) == 1);
  CHECK(rwl_lease_release(&lease) == RWL_OK);
  rwl_lock_free(&lock);
}

static atomic_int told_reason = -1;

static void on_lost(int reason, void* context) {
  CHECK(context == &told_reason);
  told_reason = reason;
}

static void loss_is_told(void) {
  rwl_options* brief = NULL;
  rwl_lock* lock = NULL;
  rwl_lease* lease = NULL;
  char command[8600];
  CHECK(rwl_options_create(&brief) == RWL_OK);
  CHECK(rwl_options_set(brief, RWL_INTERVAL, 0.3) == RWL_OK && rwl_options_set(brief, RWL_POLL_MAX, 0.1) == RWL_OK);
  CHECK(rwl_lock_create(path, brief, &lock) == RWL_OK);
  rwl_options_free(&brief);
  CHECK(rwl_acquire(lock, RWL_WRITE, 10, NULL, &lease) == RWL_OK);
  CHECK(rwl_lease_on_lost(lease, on_lost, &told_reason) == RWL_OK);
  snprintf(command, sizeof command, "rm -r '%s.rwlease'", path);
  CHECK(system(command) == 0);
  const struct timespec moment = {0, 1000000};
  while (told_reason < 0) nanosleep(&moment, NULL);
  CHECK(told_reason == RWL_LOSS_EVICTED && rwl_lease_state(lease) == RWL_STATE_LOST && rwl_lease_valid(lease) == 0);
  CHECK(rwl_lease_publish(lease, "a", "b") == RWL_LOST);
  CHECK(rwl_lease_release(&lease) == RWL_LOST && lease == NULL);
  rwl_lock_free(&lock);
}

/* Another thread: somebody is in its way, it waits until it is cancelled, and its message is its own. */
static void* other_thread(void* cancel) {
  rwl_lock* lock = new_lock();
  rwl_lease* lease = NULL;
  CHECK(strcmp(rwl_last_message(), "") == 0);
  CHECK(rwl_try_acquire(lock, RWL_READ, &lease) == RWL_BUSY && lease == NULL);
  CHECK(rwl_acquire(lock, RWL_READ, 0.05, NULL, &lease) == RWL_TIMEOUT);
  CHECK(rwl_acquire(lock, RWL_READ, -1, cancel, &lease) == RWL_CANCELLED);
  CHECK(strstr(rwl_last_message(), "cancelled") != NULL);
  rwl_lock_free(&lock);
  return NULL;
}

static void threads_and_cancel(void) {
  rwl_lock* lock = NULL;
  rwl_lease* lease = NULL;
  rwl_cancel* cancel = NULL;
  pthread_t other;
  CHECK(rwl_lock_create(NULL, NULL, &lock) == RWL_USAGE);
  lock = new_lock();
  char before[4096];
  snprintf(before, sizeof before, "%s", rwl_last_message());
  CHECK(rwl_cancel_create(&cancel) == RWL_OK && rwl_acquire(lock, RWL_WRITE, 10, NULL, &lease) == RWL_OK);
  CHECK(pthread_create(&other, NULL, other_thread, cancel) == 0);
  rwl_cancel_now(cancel);
  CHECK(pthread_join(other, NULL) == 0);
  CHECK(strcmp(before, rwl_last_message()) == 0);
  rwl_cancel_free(&cancel);
  CHECK(rwl_lease_release(&lease) == RWL_OK);
  rwl_lock_free(&lock);
}

/* Not with AddressSanitizer: its allocator may stay locked in a child forked beside other threads. */
static int may_fork_beside_threads(void) {
#if defined(__SANITIZE_ADDRESS__)
  return 0;
#else
  return 1;
#endif
}

static void a_forked_child_holds_nothing(void) {
  if (!may_fork_beside_threads()) return;
  rwl_lock* lock = new_lock();
  rwl_lease* lease = NULL;
  CHECK(rwl_acquire(lock, RWL_WRITE, 10, NULL, &lease) == RWL_OK);
  const pid_t child = fork();
  if (child == 0) _exit(rwl_lease_valid(lease) == 0 && rwl_lease_release(&lease) == RWL_FORKED ? 0 : 1);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(rwl_lease_verify(lease) == 1 && rwl_lease_release(&lease) == RWL_OK);
  rwl_lock_free(&lock);
}

/* A process that Slurm started for a job holds; it lives, so that nothing proves its death. */
static pid_t hold_in_a_job(void) {
  int ends[2];
  char ready = 0;
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    rwl_lease* lease = NULL;
    setenv("SLURM_CLUSTER_NAME", "lab", 1);
    setenv("SLURM_JOB_ID", "4711", 1);
    setenv("SLURMD_NODENAME", "n7", 1);
    CHECK(rwl_acquire(new_lock(), RWL_WRITE, 10, NULL, &lease) == RWL_OK);
    CHECK(write(ends[1], "!", 1) == 1);
    for (;;) pause();
  }
  CHECK(read(ends[0], &ready, 1) == 1);
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
  return child;
}

static int answer_about_jobs(const rwl_batch_job* job, void* context) {
  CHECK(strcmp(job->cluster, "lab") == 0 && strcmp(job->id, "4711") == 0 && strcmp(job->node, "n7") == 0);
  CHECK(strcmp(job->step, "") == 0 && job->restarts == 0);
  return *(const int*)context;
}

static void a_job_that_is_over_holds_nothing(void) {
  if (!may_fork_beside_threads()) return;
  const pid_t holder = hold_in_a_job();
  int answer = RWL_JOB_RUNNING;
  rwl_options* options = NULL;
  rwl_lock* lock = NULL;
  rwl_lease* lease = NULL;
  CHECK(rwl_options_set_job_oracle(NULL, answer_about_jobs, &answer) == RWL_USAGE);
  CHECK(rwl_options_create(&options) == RWL_OK);
  CHECK(rwl_options_set_job_oracle(options, answer_about_jobs, &answer) == RWL_OK);
  CHECK(rwl_lock_create(path, options, &lock) == RWL_OK);
  rwl_options_free(&options);
  CHECK(rwl_acquire(lock, RWL_READ, 0.3, NULL, &lease) == RWL_TIMEOUT);
  answer = 99; /* none that is known */
  CHECK(rwl_acquire(lock, RWL_READ, 0.3, NULL, &lease) == RWL_TIMEOUT);
  answer = RWL_JOB_OVER;
  CHECK(rwl_acquire(lock, RWL_READ, 60, NULL, &lease) == RWL_OK); /* its lease takes 90 s to pass */
  CHECK(rwl_lease_release(&lease) == RWL_OK);
  rwl_lock_free(&lock);
  CHECK(kill(holder, SIGKILL) == 0 && waitpid(holder, NULL, 0) == holder);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  snprintf(path, sizeof path, "%s/data", argv[1]);
  read_and_write();
  failures_say_why();
  null_is_harmless();
  options();
  publish_and_downgrade();
  loss_is_told();
  threads_and_cancel();
  a_forked_child_holds_nothing();
  a_job_that_is_over_holds_nothing();
  return 0;
}

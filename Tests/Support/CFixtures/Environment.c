#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CFixtures.h"

// <linux/prctl.h> of older systems lacks both.
enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1 };

int fixture_deny_write_and_execute(void) {
  return prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) == 0 ? 0 : errno;
}

int fixture_limit(int resource, unsigned long count) {
  struct rlimit limit = {count, count};
  return setrlimit(resource, &limit) == 0 ? 0 : errno;
}

int fixture_fork(int (*body)(void *), void *context) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) _exit(body(context));
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return -1000;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

struct first_process {
  int (*body)(void *);
  void *context;
};

static int begin_namespace(void *first) {
  struct first_process *process = first;
  if (unshare(CLONE_NEWPID) != 0) return 77;
  return fixture_fork(process->body, process->context);
}

int fixture_fork_into_namespace(int (*body)(void *), void *context) {
  struct first_process first = {body, context};
  return fixture_fork(begin_namespace, &first);
}

int fixture_fork_here(void) {
  fflush(NULL);
  return fork();
}

int fixture_exhaust_mappings(unsigned long headroom) {
  // The heap keeps what was freed. Its blocks are smaller than those that malloc maps each by itself.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  enum { BLOCK = 64 << 10 };
  void *blocks = NULL;
  for (unsigned long size = 0; size < headroom; size += BLOCK) {
    void **block = malloc(BLOCK);
    if (!block) return ENOMEM;
    *block = blocks;
    blocks = block;
  }
  while (blocks) {
    void *next = *(void **)blocks;
    free(blocks);
    blocks = next;
  }
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%lu", &pages) != 1) return EIO;
  fclose(file);
  return fixture_limit(RLIMIT_AS, pages * (unsigned long)sysconf(_SC_PAGESIZE));
}

static const void *called_before_forks;

static void call_before_a_fork(void) { fixture_call_int(called_before_forks, 1); }

void fixture_call_before_forks(const void *block) {
  called_before_forks = block;
  pthread_atfork(call_before_a_fork, NULL, NULL);
}

static int end_at_once(void *context) { return 7; }

static int child_status;
static void fork_here(void) { child_status = fixture_fork(end_at_once, NULL); }

int fixture_fork_on_a_thread(void) {
  // A fork that waits for itself ends the process.
  alarm(20);
  fixture_on_a_thread(fork_here);
  alarm(0);
  return child_status;
}

static void *run(void *body) {
  ((void (*)(void))body)();
  return NULL;
}

void fixture_on_a_thread(void (*body)(void)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, (void *)body) == 0) pthread_join(thread, NULL);
}

int fixture_deny_barriers(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
}

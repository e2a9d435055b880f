#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

int fixture_fork_here(void) {
  fflush(NULL);
  return fork();
}

int fixture_exhaust_mappings(unsigned long headroom) {
  // The heap keeps what was freed, and never maps on its own.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  char *memory = malloc(headroom);
  if (!memory) return ENOMEM;
  memset(memory, 1, headroom);
  free(memory);
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%lu", &pages) != 1) return EIO;
  fclose(file);
  return fixture_limit(RLIMIT_AS, pages * (unsigned long)sysconf(_SC_PAGESIZE));
}

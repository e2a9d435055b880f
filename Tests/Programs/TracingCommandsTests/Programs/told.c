// Does what the lines of its standard input ask, and answers each with a line.
#define _GNU_SOURCE
#include <dispatch/dispatch.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void *_Block_copy(const void *block);

static dispatch_queue_t queue, other;
static dispatch_semaphore_t begun, done;
static int ran;

static void answer(const char *text) {
  printf("%s\n", text);
  fflush(stdout);
}

static int is_replaced(void *volatile bound, const char *name) { return bound != dlsym(RTLD_NEXT, name); }

// Which of the program's slots lead elsewhere.
static const char *slots(void) {
  int count = is_replaced((void *)dispatch_async, "dispatch_async") +
              is_replaced((void *)dispatch_sync, "dispatch_sync") +
              is_replaced((void *)_Block_copy, "_Block_copy") + is_replaced((void *)dlopen, "dlopen") +
              is_replaced((void *)vfork, "vfork");
  return count == 0 ? "own" : count == 5 ? "replaced" : "some are replaced";
}

static void send_blocks(int count) {
  for (int index = 0; index < count; index++) dispatch_async(queue, ^{ ran += index >= 0; });
  dispatch_sync(queue, ^{ ran++; });
}

static void *read_last_line(void *unused) {
  char line[64];
  answer("left");
  if (fgets(line, sizeof line, stdin)) answer("last");
  return unused;
}

static void serve(char *program) {
  char line[64], text[64];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, "send ", 5) == 0) {
      send_blocks(atoi(line + 5));
      snprintf(text, sizeof text, "%d", ran);
      answer(text);
    } else if (strcmp(line, "slots") == 0) {
      answer(slots());
    } else if (strcmp(line, "run") == 0) {
      dispatch_async(other, ^{
        dispatch_semaphore_signal(begun);
        dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
        dispatch_semaphore_signal(begun);
      });
      dispatch_semaphore_wait(begun, DISPATCH_TIME_FOREVER);
      answer("runs");
    } else if (strcmp(line, "done") == 0) {
      dispatch_semaphore_signal(done);
      dispatch_semaphore_wait(begun, DISPATCH_TIME_FOREVER);
      dispatch_sync(other, ^{});
      answer("done");
    } else if (strcmp(line, "hold") == 0) {
      dispatch_suspend(queue);
      dispatch_async(queue, ^{ ran += 1000; });
      answer("held");
    } else if (strcmp(line, "release") == 0) {
      dispatch_resume(queue);
      send_blocks(0);
      snprintf(text, sizeof text, "%d", ran);
      answer(text);
    } else if (strcmp(line, "open") == 0) {
      int file = open("/dev/null", O_RDONLY);
      snprintf(text, sizeof text, "%s", file < 0 ? strerror(errno) : "opened");
      if (file >= 0) close(file);
      answer(text);
    } else if (strcmp(line, "limit") == 0) {
      setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 1024});
      answer("limited");
    } else if (strcmp(line, "unlimit") == 0) {
      setrlimit(RLIMIT_NOFILE, &(struct rlimit){1024, 1024});
      answer("unlimited");
    } else if (strcmp(line, "close") == 0) {
      for (int file = 3; file < 256; file++) close(file);
      answer("closed");
    } else if (strcmp(line, "fork") == 0) {
      pid_t child = fork();
      // libdispatch's queues are of no use in the child of a fork.
      if (child == 0) {
        snprintf(text, sizeof text, "%d", getpid());
        answer(text);
        while (fgets(line, sizeof line, stdin) && line[0] != 'q') {
          line[strcspn(line, "\n")] = 0;
          answer(strcmp(line, "slots") == 0 ? slots() : "?");
        }
        _exit(0);
      }
      int status;
      waitpid(child, &status, 0);
      answer(WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "forked" : "the child failed");
    } else if (strcmp(line, "execute") == 0) {
      execl(program, program, NULL);
      answer("not executed");
    } else if (strcmp(line, "leave") == 0) {
      pthread_t thread;
      pthread_create(&thread, NULL, read_last_line, NULL);
      pthread_detach(thread);
      pthread_exit(NULL);
    } else {
      answer("?");
    }
  }
}

int main(int count, char **words) {
  // The lines that are asked go to the program that is executed, too.
  setvbuf(stdin, NULL, _IONBF, 0);
  queue = dispatch_queue_create("told.serial", NULL);
  other = dispatch_queue_create("told.other", NULL);
  begun = dispatch_semaphore_create(0);
  done = dispatch_semaphore_create(0);
  char text[64];
  snprintf(text, sizeof text, "%d", getpid());
  answer(text);
  serve(words[0]);
  return count > 1 ? atoi(words[1]) : 0;
}

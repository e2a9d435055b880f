#define _GNU_SOURCE
#include "CReloadAgent.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  close(descriptor);
  return -1;
}

// Opens a library, whose functions then replace those that they name, and tells the program.
// Returns the answer to the line.
static const char *load(const char *path) {
  if (!dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    const char *reason = dlerror();
    return reason ? reason : "the library cannot be opened";
  }
  void (*tell)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "blockRuntimeDidReload");
  if (tell) tell();
  return "ok";
}

// Reads a line without its end, by the system's calls: a stream that waits for its next line would
// be locked, and the program's fflush(NULL) and exit would wait for the lock. A path that is too
// long is cut, and then not found.
static int read_line(int descriptor, char *line, size_t capacity) {
  size_t length = 0;
  for (;;) {
    char byte;
    ssize_t count = read(descriptor, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    if (byte == '\n') break;
    if (length < capacity - 1) line[length++] = byte;
  }
  line[length] = 0;
  return 1;
}

// Opens the library that each line names, and answers the line.
static void *serve(void *context) {
  int descriptor = (int)(long)context;
  char line[PATH_MAX];
  while (read_line(descriptor, line, sizeof line)) {
    char answer[2048];
    int length = snprintf(answer, sizeof answer - 1, "%s", load(line));
    if (length > (int)sizeof answer - 2) length = (int)sizeof answer - 2;
    for (int i = 0; i < length; i++)
      if (answer[i] == '\n') answer[i] = ' ';
    answer[length] = '\n';
    // The program may not ignore SIGPIPE, and must not end when the reloader does.
    if (send(descriptor, answer, (size_t)length + 1, MSG_NOSIGNAL) < 0) break;
  }
  close(descriptor);
  return NULL;
}

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("BLOCKRUNTIME_RELOAD");
  int descriptor = path ? connect_to(path) : -1;
  if (descriptor < 0) return;
  // The thread takes none of the program's signals.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, NULL, serve, (void *)(long)descriptor) == 0)
    pthread_detach(thread);
  else
    close(descriptor);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

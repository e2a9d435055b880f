// Sends blocks, forks and loads objects on several threads until a line comes; then says whether all ran.
#define _GNU_SOURCE
#include <dispatch/dispatch.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_long sent, ran, failures, ticks;
static atomic_bool is_over;

static void function(void *unused) { ran++; }

static void *send_blocks(void *queue) {
  while (!is_over) {
    for (int index = 0; index < 20; index++) {
      sent += 2;
      dispatch_async(queue, ^{ ran++; });
      dispatch_async_f(queue, NULL, function);
    }
    sent += 6;
    dispatch_after(dispatch_time(DISPATCH_TIME_NOW, 1000000), queue, ^{ ran++; });
    dispatch_apply(4, queue, ^(size_t index) { ran++; });
    dispatch_sync(queue, ^{ ran++; });
    usleep(10000);
  }
  return NULL;
}

static void expect(pid_t child, int status) {
  int end;
  if (child < 0 || waitpid(child, &end, 0) != child || !WIFEXITED(end) || WEXITSTATUS(end) != status)
    failures++;
}

static void *fork_children(void *unused) {
  while (!is_over) {
    pid_t child = fork();
    if (child == 0) {
      free(malloc(100));
      _exit(7);
    }
    expect(child, 7);
    child = fork();
    if (child == 0) {
      execl("/bin/true", "true", NULL);
      _exit(1);
    }
    expect(child, 0);
  }
  return unused;
}

static void *load_objects(void *unused) {
  while (!is_over) {
    void *library = dlopen("libresolv.so.2", RTLD_NOW);
    if (library) dlclose(library);
    usleep(1000);
  }
  return unused;
}

int main(void) {
  dispatch_queue_t serial = dispatch_queue_create("storm.serial", NULL);
  dispatch_queue_t concurrent =
      dispatch_queue_create("storm.concurrent", DISPATCH_QUEUE_CONCURRENT);
  dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, serial);
  dispatch_source_set_timer(timer, 0, 1000000, 0);
  dispatch_source_set_event_handler(timer, ^{ ticks++; });
  dispatch_resume(timer);
  pthread_t threads[5];
  pthread_create(&threads[0], NULL, send_blocks, serial);
  pthread_create(&threads[1], NULL, send_blocks, concurrent);
  pthread_create(&threads[2], NULL, send_blocks, concurrent);
  pthread_create(&threads[3], NULL, fork_children, NULL);
  pthread_create(&threads[4], NULL, load_objects, NULL);
  printf("%d\n", getpid());
  fflush(stdout);
  char line[16];
  if (!fgets(line, sizeof line, stdin)) return 1;
  is_over = true;
  for (int index = 0; index < 5; index++) pthread_join(threads[index], NULL);
  while (ran != sent) usleep(1000);
  printf("%ld children failed\n", failures);
  return ticks == 0;
}

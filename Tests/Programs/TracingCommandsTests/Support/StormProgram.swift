#if Everything
/// A program in C whose ways end a trace, or make it hard.
///
/// What it sends has a number, the context, and it prints when each was sent: the number, and the
/// times before and after.
enum StormProgram {
  static let source = #"""
    #include <dispatch/dispatch.h>
    #include <pthread.h>
    #include <signal.h>
    #include <stdatomic.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/wait.h>
    #include <time.h>
    #include <unistd.h>

    enum { THREADS = 100, LIMIT = 1000 };
    static long sent[THREADS * LIMIT + 1][2];
    static dispatch_queue_t queues[4];
    static dispatch_group_t group;
    static atomic_int counter;
    static int rounds = 100;
    static long now(void) {
      struct timespec time;
      clock_gettime(CLOCK_MONOTONIC, &time);
      return time.tv_sec * 1000000000L + time.tv_nsec;
    }
    static void work(void *number) { atomic_fetch_add(&counter, 1); }
    __attribute__((noinline)) static void send(long number, dispatch_queue_t queue) {
      sent[number][0] = now();
      dispatch_group_async_f(group, queue, (void *)number, work);
      sent[number][1] = now();
    }
    static void *storm(void *argument) {
      for (long round = 0; round < rounds; round++)
        send((long)argument * rounds + round + 1, queues[round % 4]);
      return NULL;
    }
    static void print(long count) {
      for (long number = 1; number <= count; number++)
        printf("%ld %ld %ld\n", number, sent[number][0], sent[number][1]);
      printf("%d\n", atomic_load(&counter));
      fflush(stdout);
    }
    static void storms(void) {
      pthread_t threads[THREADS];
      for (long index = 0; index < THREADS; index++)
        pthread_create(&threads[index], NULL, storm, (void *)index);
      for (long index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
      print(THREADS * rounds);
    }
    // Queues that are released while their functions wait: the next one may have the address.
    static void release(void) {
      for (long number = 1; number <= 200; number++) {
        char label[32];
        snprintf(label, sizeof label, "storm.%ld", number);
        dispatch_queue_t queue = dispatch_queue_create(label, NULL);
        send(number, queue);
        dispatch_release(queue);
        if (number % 3 == 0) dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
      print(200);
    }
    int main(int count, char **words) {
      const char *way = count > 1 ? words[1] : "";
      if (count > 2) rounds = atoi(words[2]);
      group = dispatch_group_create();
      for (int index = 0; index < 4; index++)
        queues[index] = dispatch_queue_create("storm", index < 2 ? NULL : DISPATCH_QUEUE_CONCURRENT);
      if (!strcmp(way, "storm")) storms();
      if (!strcmp(way, "release")) release();
      if (!strcmp(way, "fork")) {
        dispatch_sync(queues[0], ^{
          pid_t child = fork();
          if (child == 0) {
            dispatch_sync(queues[1], ^{ atomic_fetch_add(&counter, 1); });
            _exit(0);
          }
          waitpid(child, NULL, 0);
        });
      }
      // Blocks wait from here on.
      dispatch_suspend(queues[0]);
      if (!strcmp(way, "kill") || !strcmp(way, "interrupt") || !strcmp(way, "exec")) {
        dispatch_async(queues[0], ^{ atomic_fetch_add(&counter, 1); });
        dispatch_async_f(queues[0], (void *)7, work);
        usleep(20000);
      }
      if (!strcmp(way, "kill")) raise(SIGKILL);
      if (!strcmp(way, "interrupt")) {
        signal(SIGINT, SIG_DFL);
        kill(0, SIGINT);
        pause();
      }
      if (!strcmp(way, "exec")) execl(words[0], words[0], "release", NULL);
      _exit(6);
    }
    """#
}
#endif

// What Scripts/tracers measures tracers on: blocks that are sent to a serial queue, a thousand at a time.
#include <dispatch/dispatch.h>
#include <stdio.h>
#include <stdlib.h>

static long counter;

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000;
  dispatch_queue_t queue = dispatch_queue_create("counters", NULL);
  dispatch_group_t group = dispatch_group_create();
  for (long sent = 0; sent < count; sent += 1000) {
    for (long each = 0; each < 1000; each++) dispatch_group_async(group, queue, ^{ counter++; });
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  }
  printf("%ld\n", counter);
}

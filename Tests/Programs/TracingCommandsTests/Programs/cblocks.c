// clang blocks: known counts
#include <dispatch/dispatch.h>
#include <Block/Block.h>
#include <stdio.h>
#include <unistd.h>
#include <stdatomic.h>
int main(void) {
  dispatch_queue_t a = dispatch_queue_create("c.serial", 0), b = dispatch_queue_create("c.conc", DISPATCH_QUEUE_CONCURRENT);
  __block _Atomic int n = 0;
  for (int i = 0; i < 1000; i++) dispatch_async(a, ^{ n++; });
  for (int i = 0; i < 500; i++) dispatch_sync(a, ^{ n++; });
  dispatch_group_t g = dispatch_group_create();
  for (int i = 0; i < 300; i++) dispatch_group_async(g, b, ^{ n++; });
  for (int i = 0; i < 30; i++) dispatch_barrier_async(b, ^{ n++; });
  dispatch_group_wait(g, DISPATCH_TIME_FOREVER);
  dispatch_apply(64, dispatch_get_global_queue(0, 0), ^(size_t i) { n++; });
  int (^f)(int, double) = Block_copy(^(int x, double y) { return x + (int)y; });
  int s = 0; for (int i = 0; i < 100; i++) s += f(i, 1.5);
  Block_release(f);
  dispatch_semaphore_t sem = dispatch_semaphore_create(0);
  dispatch_after(dispatch_time(DISPATCH_TIME_NOW, 20 * NSEC_PER_MSEC), a, ^{ dispatch_semaphore_signal(sem); });
  dispatch_semaphore_wait(sem, DISPATCH_TIME_FOREVER);
  dispatch_barrier_sync(b, ^{});
  printf("n %d s %d\n", (int)n, s);
}

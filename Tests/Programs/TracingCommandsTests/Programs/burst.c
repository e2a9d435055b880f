// A burst of blocks to one queue, more than it can begin at once.
#include <dispatch/dispatch.h>
#include <stdio.h>
int main(void) {
  __block _Atomic int k = 0;
  dispatch_queue_t q = dispatch_queue_create("burst", 0);
  dispatch_group_t g = dispatch_group_create();
  for (int i = 0; i < 20000; i++) dispatch_group_async(g, q, ^{ k++; });
  dispatch_group_wait(g, DISPATCH_TIME_FOREVER);
  printf("%d\n", (int)k);
}

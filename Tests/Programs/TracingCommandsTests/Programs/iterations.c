#include <dispatch/dispatch.h>
#include <stdatomic.h>
#include <unistd.h>
// Iterations wait for earlier ones; the block waits for the queue, behind the one that naps.
int main(void) {
  __block atomic_int count = 0;
  dispatch_queue_t queue = dispatch_queue_create("c.serial", NULL);
  dispatch_apply(8, dispatch_get_global_queue(0, 0), ^(size_t i) { usleep(20000); count++; });
  dispatch_async(queue, ^{ usleep(10000); count++; });
  dispatch_sync(queue, ^{ count++; });
  return count == 10 ? 0 : 1;
}

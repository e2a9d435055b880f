#include "CDemoBlocks.h"

#include "Libdispatch.h"
#include <stdatomic.h>
#include <stddef.h>

static atomic_int runs;

const void *cdemo_make_dispatch_block(void) {
  return (const void *)dispatch_block_create(0, ^{
    atomic_fetch_add(&runs, 1);
  });
}

int32_t cdemo_dispatch_block_runs(void) { return atomic_load(&runs); }

static dispatch_queue_t demo_queue(void) {
  static dispatch_once_t once;
  static dispatch_queue_t queue;
  dispatch_once(&once, ^{
    queue = dispatch_queue_create("hook-demo", NULL);
  });
  return queue;
}

void cdemo_run_async(const void *block) {
  dispatch_async(demo_queue(), (dispatch_block_t)block);
  // Waits for the block: the queue is serial, so that what is queued later runs later.
  dispatch_sync(demo_queue(), ^{
  });
}

void cdemo_run_sync(const void *block) { dispatch_sync(demo_queue(), (dispatch_block_t)block); }

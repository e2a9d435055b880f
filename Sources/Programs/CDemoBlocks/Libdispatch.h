// What the demo calls of libdispatch and the blocks runtime.
//
// The toolchain keeps their headers where only Swift finds them. The declarations are those of
// <dispatch/dispatch.h> and <Block.h>: https://github.com/swiftlang/swift-corelibs-libdispatch.
#pragma once
#include <stdint.h>

typedef struct dispatch_queue_s *dispatch_queue_t;
typedef intptr_t dispatch_once_t;
typedef void (^dispatch_block_t)(void);

dispatch_queue_t dispatch_queue_create(const char *label, void *attributes);
void dispatch_once(dispatch_once_t *predicate, dispatch_block_t block);
void dispatch_async(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_sync(dispatch_queue_t queue, dispatch_block_t block);
dispatch_block_t dispatch_block_create(unsigned long flags, dispatch_block_t block);

void *_Block_copy(const void *block);
void _Block_release(const void *block);

// The memory of a block and the functions of the blocks runtime.
//
// Specification: https://clang.llvm.org/docs/Block-ABI-Apple.html
// The runtime's own declarations are in <Block.h> and <Block_private.h> of libdispatch's sources.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
  CBR_BLOCK_DEALLOCATING = 0x0001,
  CBR_BLOCK_REFCOUNT_MASK = 0xFFFE,
  // Set by clang for a block on the stack that its callee does not store; it is also marked as
  // global, so that copying it does nothing.
  CBR_BLOCK_IS_NOESCAPE = 1 << 23,
  CBR_BLOCK_NEEDS_FREE = 1 << 24,
  CBR_BLOCK_HAS_COPY_DISPOSE = 1 << 25,
  CBR_BLOCK_IS_GLOBAL = 1 << 28,
  CBR_BLOCK_USES_STRUCT_RETURN = 1 << 29,
  CBR_BLOCK_HAS_SIGNATURE = 1 << 30,
};

// Bit 31 does not fit an enumerator that Swift imports as Int32.
#define CBR_BLOCK_HAS_EXTENDED_LAYOUT 0x80000000u

// `size` is followed by the copy and dispose helpers, the signature and the capture layout, each
// only if its flag is set.
struct cbr_block_descriptor {
  uintptr_t reserved;
  uintptr_t size;
};

struct cbr_block {
  const void *isa;
  uint32_t flags;
  uint32_t reserved;
  const void *invoke;
  const struct cbr_block_descriptor *descriptor;
};

// The blocks runtime. Blocks are passed as plain pointers, which Swift can hold anywhere.
const void *_Block_copy(const void *block);
void _Block_release(const void *block);
extern void *_NSConcreteStackBlock[32];
extern void *_NSConcreteMallocBlock[32];
extern void *_NSConcreteGlobalBlock[32];

// Swift cannot import the arrays; only their addresses are needed.
static inline const void *cbr_stack_block_class(void) { return _NSConcreteStackBlock; }
static inline const void *cbr_malloc_block_class(void) { return _NSConcreteMallocBlock; }
static inline const void *cbr_global_block_class(void) { return _NSConcreteGlobalBlock; }

// The flags word also counts references, so it is read atomically. A descriptor that is read
// afterwards is not older.
static inline uint32_t cbr_block_flags(const void *block) {
  return __atomic_load_n(&((const struct cbr_block *)block)->flags, __ATOMIC_ACQUIRE);
}

static inline const void *cbr_block_invoke(const void *block) {
  return __atomic_load_n(&((const struct cbr_block *)block)->invoke, __ATOMIC_ACQUIRE);
}

static inline const void *cbr_block_invoke_place(const void *block) {
  return &((const struct cbr_block *)block)->invoke;
}

static inline const struct cbr_block_descriptor *cbr_block_descriptor(const void *block) {
  return __atomic_load_n(&((const struct cbr_block *)block)->descriptor, __ATOMIC_ACQUIRE);
}

// The invoke pointer of every block that `dispatch_block_create` makes; NULL if the program has no
// libdispatch.
const void *cbr_dispatch_block_invoke(void);

// Replaces the invoke pointer if it is still `seen`, and returns whether it was. The memory must be
// writable.
bool cbr_block_change_invoke(const void *block, const void *seen, const void *invoke);

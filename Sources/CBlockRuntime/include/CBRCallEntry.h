// Entries: what a call finds that comes in through code made for any signature.
//
// Hooked blocks share two pieces of code, which find the entry behind the block's own descriptor
// (see CBRBlockAttachment.h). A function pointer has a stub of its own (CBRCallStubs.h). Both save
// the call's image and hand it to the entry's handler; for narrow calls (CBRCallImage.h) no more
// than these need.
#pragma once

#define CBR_BLOCK_DESCRIPTOR 24
#define CBR_DESCRIPTOR_ENTRY 48

#define CBR_ENTRY_CODE 0
#define CBR_ENTRY_HANDLER 8
#define CBR_ENTRY_RECEIVER 16
#define CBR_ENTRY_FLOATS 24

#ifndef __ASSEMBLER__
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cbr_entry {
  // Where a function pointer's stub jumps: `cbr_enter_function` or its narrow sister.
  const void *_Nullable code;
  // Gets the entry and the image; leaves the result in the image and returns how it travels.
  uint32_t (*handler)(struct cbr_entry *entry, void *image);
  // The handler's own.
  const void *receiver;
  // The number of floating-point registers that are saved: 0, or up to 4 or 8.
  uint32_t floats;
};

#if defined(__x86_64__)
void cbr_enter_block(void);
void cbr_enter_block_narrow(void);
void cbr_enter_block_with_memory_result(void);
void cbr_enter_function(void);
void cbr_enter_function_narrow(void);

// The code of hooked blocks.
static inline const void *_Nullable cbr_block_entry_code(_Bool has_memory_result,
                                                         _Bool is_narrow) {
  return is_narrow           ? (const void *)cbr_enter_block_narrow
         : has_memory_result ? (const void *)cbr_enter_block_with_memory_result
                             : (const void *)cbr_enter_block;
}

static inline const void *_Nullable cbr_function_entry_code(_Bool is_narrow) {
  return is_narrow ? (const void *)cbr_enter_function_narrow : (const void *)cbr_enter_function;
}
#else
static inline const void *_Nullable cbr_block_entry_code(_Bool has_memory_result,
                                                         _Bool is_narrow) {
  return 0;
}
static inline const void *_Nullable cbr_function_entry_code(_Bool is_narrow) { return 0; }
#endif

// The receiver is replaced while calls come in.
static inline void cbr_entry_set_receiver(struct cbr_entry *entry, const void *receiver) {
  __atomic_store_n(&entry->receiver, receiver, __ATOMIC_RELEASE);
}

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(__builtin_offsetof(struct cbr_entry, handler) == CBR_ENTRY_HANDLER, "assembly");
_Static_assert(__builtin_offsetof(struct cbr_entry, receiver) == CBR_ENTRY_RECEIVER, "assembly");
_Static_assert(__builtin_offsetof(struct cbr_entry, floats) == CBR_ENTRY_FLOATS, "assembly");
#endif

#pragma clang assume_nonnull end
#endif

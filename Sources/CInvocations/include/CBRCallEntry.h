// Entries: what a call finds that comes in through code made for any signature.
//
// Hooked blocks share pieces of code, which find the entry behind the block's own descriptor
// (see CBRBlockAttachment.h). A function pointer has a stub of its own (CBRCallStubs.h). Both save
// the call's image and hand it to the entry's handler; for narrow calls (CBRCallImage.h) no more
// than these need. Narrow calls whose first level is one handler go on in assembly: it protects the
// receiver (CBRHazardPointers.h), makes the frame and calls the handler's closure, or calls the block
// that stands in for the one that was called.
#pragma once

#define CBR_ENTRY_CODE 0
#define CBR_ENTRY_HANDLER 8
#define CBR_ENTRY_RECEIVER 16
#define CBR_ENTRY_FLOATS 24

// What the assembly knows of Swift's CallTarget, which an entry's receiver is.
#define CBR_TARGET_BODY 8
#define CBR_TARGET_CONTEXT 16
#define CBR_TARGET_ACTIVATION 24
#define CBR_TARGET_PLAN 32
#define CBR_TARGET_REPLACEMENT 40

// What it knows of Swift's CallFrame, and that frame's size, or more.
#define CBR_FRAME_ACTIVATION 0
#define CBR_FRAME_IMAGE 8
#define CBR_FRAME_PLAN 16
#define CBR_FRAME_TARGET 24
#define CBR_FRAME_OUTCOME 32
#define CBR_FRAME_SIZE 48
#define CBR_OUTCOME_RESULT 1

// And of CBRHazardPointers.h.
#define CBR_THREAD_TOP 0
#define CBR_HAZARD_PROTECTED 8
#define CBR_HAZARD_AWAITED 16
#define CBR_HAZARD_STACK 24
#define CBR_HAZARD_SIZE 40

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

// What the assembly leaves to Swift.
struct cbr_entered_call {
  // The handler threw `error`, which is handed over.
  void (*_Nonnull fail)(void *frame, void *error, void *place);
  // The call ends with more, or less, than a result: returns an object to be released later.
  void *_Nullable (*_Nonnull finish)(void *frame);
  // A call ended whose end somebody awaits at a place; or a thread did, inside of such calls.
  void (*_Nonnull ended)(void *_Nullable place);
};

// Set before the first entry is made.
extern struct cbr_entered_call cbr_entered_call __attribute__((visibility("hidden")));

static inline void cbr_set_entered_call(struct cbr_entered_call functions) {
  cbr_entered_call = functions;
}

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

// The place of the receiver, which is replaced while calls come in.
static inline const void *_Nullable *_Nonnull cbr_entry_receiver(struct cbr_entry *entry) {
  return (const void *_Nullable *_Nonnull)&entry->receiver;
}

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(__builtin_offsetof(struct cbr_entry, handler) == CBR_ENTRY_HANDLER, "assembly");
_Static_assert(__builtin_offsetof(struct cbr_entry, receiver) == CBR_ENTRY_RECEIVER, "assembly");
_Static_assert(__builtin_offsetof(struct cbr_entry, floats) == CBR_ENTRY_FLOATS, "assembly");
#endif

#pragma clang assume_nonnull end
#endif

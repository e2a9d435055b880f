// Entries: the data by which calls of code made at run time, for any signature, find their
// receiver.
//
// All hooked blocks share a few pieces of code, which find the entry through the block's own
// descriptor (see CBRBlockAttachment.h). A function pointer has a stub of its own (CBRCallStubs.h).
// Both save the call's memory and pass it to the entry's `run`; for narrow calls (CBRCallMemory.h)
// they save only the registers that such calls use. Narrow calls whose first level is one handler
// are run by assembly: it protects the receiver (CBRHazardPointers.h), makes the frame and calls
// the handler's closure, or calls the block that replaces the called one.
#pragma once

#define CBR_ENTRY_CODE 0
#define CBR_ENTRY_RUN 8
#define CBR_ENTRY_RECEIVER 16
#define CBR_ENTRY_FLOATS 24
#define CBR_BLOCK_CALL_BLOCK 8

// Offsets in Swift's CallTarget, to which an entry's `receiver` points.
#define CBR_TARGET_BODY 8
#define CBR_TARGET_CONTEXT 16
#define CBR_TARGET_ACTIVATION 24
#define CBR_TARGET_PLAN 32
#define CBR_TARGET_REPLACEMENT 40

// Offsets in Swift's CallFrame, and an upper bound of its size.
#define CBR_FRAME_ACTIVATION 0
#define CBR_FRAME_MEMORY 8
#define CBR_FRAME_PLAN 16
#define CBR_FRAME_TARGET 24
#define CBR_FRAME_OUTCOME 32
#define CBR_FRAME_HAZARD_END 48
#define CBR_FRAME_SIZE 56
#define CBR_OUTCOME_RESULT 1

// Offsets in the structures of CBRHazardPointers.h.
#define CBR_THREAD_TOP 0
#define CBR_HAZARD_PROTECTED 8
#define CBR_HAZARD_AWAITED 16
#define CBR_HAZARD_STACK 24
#define CBR_HAZARD_SIZE 40

#ifndef __ASSEMBLER__
#include <stdint.h>

#include "CBRCallMemory.h"

#pragma clang assume_nonnull begin

struct cbr_entry {
  // Where a function pointer's stub jumps: `cbr_function_entry_code` or `cbr_variadic_entry_code`.
  const void *_Nullable code;
  // Runs the call; leaves the result in its memory and returns how it is passed (`CBR_RESULT_…`).
  uint32_t (*run)(struct cbr_entry *entry, void *memory);
  // The CallTarget of the current receiver; replaced atomically.
  const void *receiver;
  // How many floating-point registers arguments use: none are saved for 0; on x86-64 four for up to
  // 4.
  uint32_t floats;
};

// The data of a function pointer that calls a block: a stub leads to it as to an entry.
struct cbr_block_call {
  // `cbr_block_calling_code`.
  const void *_Nullable code;
  const void *block;
};

// The functions in Swift that the assembly calls.
struct cbr_entered_call {
  // Called if the handler threw `error`; takes over the reference. `hazard` is the call's hazard
  // pointer.
  void (*_Nonnull fail)(void *frame, void *error, void *hazard);
  // Called at the end of a call, unless it only has a result (see Swift's CallOutcome): returns a
  // retained object for `cbr_release_later`, or NULL.
  void *_Nullable (*_Nonnull finish)(void *frame);
  // Called when a call has ended whose hazard pointer is marked; with NULL when several calls may
  // have ended, as with their thread.
  void (*_Nonnull ended)(void *_Nullable hazard);
};

// Set before the first entry is made.
extern struct cbr_entered_call cbr_entered_call __attribute__((visibility("hidden")));

static inline void cbr_set_entered_call(struct cbr_entered_call functions) {
  cbr_entered_call = functions;
}

#if CBR_HAS_CALL_PLANS
void cbr_enter_block(void);
void cbr_enter_block_narrow(void);
void cbr_enter_function(void);
void cbr_enter_function_narrow(void);
void cbr_enter_variadic(void);
void cbr_enter_call_of_block(void);
#if defined(__x86_64__)
// Where the address of a result in memory is the first argument, the block is the second.
void cbr_enter_block_with_memory_result(void);
void cbr_enter_call_of_block_with_memory_result(void);
// Calls with vectors (CBR_MEMORY_VECTORS).
void cbr_enter_block_vectors_16(void);
void cbr_enter_block_vectors_32(void);
void cbr_enter_block_vectors_64(void);
void cbr_enter_block_vectors_16_with_memory_result(void);
void cbr_enter_block_vectors_32_with_memory_result(void);
void cbr_enter_block_vectors_64_with_memory_result(void);
void cbr_enter_function_vectors_16(void);
void cbr_enter_function_vectors_32(void);
void cbr_enter_function_vectors_64(void);

// The code that enters calls with vectors of so many bytes.
#define CBR_VECTOR_CODE(bytes, name, end)                 \
  ((bytes) == 16   ? (const void *)name##_vectors_16##end \
   : (bytes) == 32 ? (const void *)name##_vectors_32##end \
                   : (const void *)name##_vectors_64##end)
#else
#define CBR_VECTOR_CODE(bytes, name, end) ((const void *)0)
#define cbr_enter_call_of_block_with_memory_result cbr_enter_call_of_block
#define cbr_enter_block_with_memory_result cbr_enter_block
#endif

// The code of hooked blocks.
static inline const void *_Nullable cbr_block_entry_code(_Bool has_memory_result, _Bool is_narrow,
                                                         uint32_t vector_bytes) {
  if (vector_bytes)
    return has_memory_result ? CBR_VECTOR_CODE(vector_bytes, cbr_enter_block, _with_memory_result)
                             : CBR_VECTOR_CODE(vector_bytes, cbr_enter_block, );
  return is_narrow           ? (const void *)cbr_enter_block_narrow
         : has_memory_result ? (const void *)cbr_enter_block_with_memory_result
                             : (const void *)cbr_enter_block;
}

static inline const void *_Nullable cbr_function_entry_code(_Bool is_narrow, uint32_t vector_bytes) {
  return vector_bytes ? CBR_VECTOR_CODE(vector_bytes, cbr_enter_function, )
         : is_narrow  ? (const void *)cbr_enter_function_narrow
                      : (const void *)cbr_enter_function;
}

// The code of blocks and functions that take a variable number of arguments.
static inline const void *_Nullable cbr_variadic_entry_code(void) {
  return (const void *)cbr_enter_variadic;
}

// The code of function pointers that call a block: it inserts the block before the arguments, whose
// integers move by one register, and jumps to the block's code.
static inline const void *_Nullable cbr_block_calling_code(_Bool has_memory_result) {
  return has_memory_result ? (const void *)cbr_enter_call_of_block_with_memory_result
                           : (const void *)cbr_enter_call_of_block;
}
#else
static inline const void *_Nullable cbr_block_calling_code(_Bool has_memory_result) { return 0; }
static inline const void *_Nullable cbr_block_entry_code(_Bool has_memory_result, _Bool is_narrow,
                                                         uint32_t vector_bytes) {
  return 0;
}
static inline const void *_Nullable cbr_function_entry_code(_Bool is_narrow, uint32_t vector_bytes) {
  return 0;
}
static inline const void *_Nullable cbr_variadic_entry_code(void) { return 0; }
#endif

// The address of the receiver's field, which is replaced while calls enter.
static inline const void *_Nullable *_Nonnull cbr_entry_receiver(struct cbr_entry *entry) {
  return (const void *_Nullable *_Nonnull)&entry->receiver;
}

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(__builtin_offsetof(struct cbr_entry, run) == CBR_ENTRY_RUN, "assembly");
_Static_assert(__builtin_offsetof(struct cbr_entry, receiver) == CBR_ENTRY_RECEIVER, "assembly");
_Static_assert(__builtin_offsetof(struct cbr_entry, floats) == CBR_ENTRY_FLOATS, "assembly");
_Static_assert(__builtin_offsetof(struct cbr_block_call, block) == CBR_BLOCK_CALL_BLOCK, "assembly");
#endif

#pragma clang assume_nonnull end
#endif

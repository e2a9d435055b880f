// Observed calls of code whose signature is unknown: the original runs with all registers and the
// stack as the caller left them, and an observer is called before and after it.
//
// The size of the arguments on the stack is unknown, so no frame can be inserted: the return
// address is replaced, and saved in thread-local memory while the original runs. A register that
// the original preserves (rbx on x86-64, x19 on AArch64) holds the address of that memory. So the
// call returns correctly on whatever stack it runs, and unwinders can pass it: exceptions, the end
// of the thread, backtraces.
#pragma once

#define CBR_OPAQUE_ORIGINAL 8

// Offsets in `struct kept` (OpaqueCalls.c).
#define CBR_OPAQUE_KEPT_RETURN_ADDRESS 0
#define CBR_OPAQUE_KEPT_REGISTER 8

// The number of the register, as unwinders count, and where the saved registers have results:
// integers, and the first two vectors; on x86-64, where the area of `xsave` says that vectors are
// in use.
#if defined(__x86_64__)
#define CBR_OPAQUE_REGISTER 3
#define CBR_OPAQUE_INTEGERS CBR_OPAQUE_VECTORS
#define CBR_OPAQUE_FLOATS 160
#define CBR_OPAQUE_STATE 512
#elif defined(__aarch64__)
#define CBR_OPAQUE_REGISTER 19
#define CBR_OPAQUE_INTEGERS 0
#define CBR_OPAQUE_FLOATS 32
#endif

// On x86-64 the state that is saved beside the integer registers, as `xsave` numbers it (the x87,
// and vectors of up to 64 bytes), and the size of its save area.
#define CBR_OPAQUE_COMPONENTS 0x47
#define CBR_OPAQUE_VECTORS 1664

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The words that an observer stores for a call in progress.
struct cbr_opaque_call {
  uint64_t words[3];
};

// The entry of a stub (CBRCallStubs.h): it must be valid while calls can enter, and until they have
// ended.
struct cbr_opaque {
  // Where the stub jumps: `cbr_opaque_code`.
  const void *code;
  const void *original;
  const void *context;
  // Called around the original, on the caller's thread; `saved` has the registers that hold
  // results.
  void (*begin)(const void *context, struct cbr_opaque_call *call);
  void (*end)(const void *context, struct cbr_opaque_call *call, void *saved);
  // Called in place of `end` for a call that does not return: when the stack is unwound, at the
  // thread's end, or, if longjmp left the call, when a later call detects that.
  void (*abandon)(const void *context, struct cbr_opaque_call *call);
  // Whether the entry is that of one call, whose `end` or `abandon` frees it; if the call is not
  // observed, `context` is an object that is released later.
  bool is_of_one_call;
};

// Copies the result between the registers in `saved`, which `end` receives, and a call's memory.
void cbr_opaque_copy_result(void *saved, void *memory, bool is_to_memory);

// The code that a stub jumps to for such an entry; NULL if the platform has none.
const void *_Nullable cbr_opaque_code(void);

#pragma clang assume_nonnull end
#endif

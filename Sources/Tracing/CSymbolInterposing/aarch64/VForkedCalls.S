// The replacement of `vfork`. See CBRVForkedCalls.h.
#if defined(__aarch64__)
#include "CBRCallEntry.h"
#include "CBRFunctions.h"
#include "CBRReentrancy.h"

// clone(2) with CLONE_VM | CLONE_VFORK | SIGCHLD does what vfork(2) does.
#define SYS_CLONE 220
#define VFORK_FLAGS 0x4111

  .text

// The child returns first, on the same stack, and overwrites what is below its caller's frame. So
// the values that the parent needs stay in registers, which the kernel saves for each process:
//   x10: the count of the thread's scopes in which calls are ignored
//   x11: the thread's record
//   x12: its topmost hazard pointer
function cbr_vfork
  mrs x9, tpidr_el0
  adrp x10, :gottprel:cbr_reentrancy
  ldr x10, [x10, :gottprel_lo12:cbr_reentrancy]
  add x10, x9, x10
  ldr x10, [x10, #CBR_REENTRANCY_IGNORED]
  adrp x11, :gottprel:cbr_this_thread
  ldr x11, [x11, :gottprel_lo12:cbr_this_thread]
  ldr x11, [x9, x11]
  ldr x12, [x11, #CBR_THREAD_TOP]
  mov x0, #VFORK_FLAGS
  mov x1, #0
  mov x2, #0
  mov x3, #0
  mov x4, #0
  mov x8, #SYS_CLONE
  svc #0
  cbz x0, 1f
  // The parent: cbr_vfork_returned(thread, top, ignored, outcome, stack).
  mov w3, w0
  mov x0, x11
  mov x1, x12
  mov x2, x10
  mov x4, sp
  b cbr_vfork_returned
1:
  ret
end cbr_vfork

mark_image
#endif
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif

// The entry code of interposed functions, and calls with a return address elsewhere. See
// CBRInterposedCalls.h and CBRImportSlots.h.
#if defined(__aarch64__)
#include "CBRFunctions.h"
#include "CBRInterposedCalls.h"
#include "CBRReentrancy.h"
#include "../ReturnGates.h"

  .text

// Stubs of interposed functions jump here; x17 holds their `cbr_interposed`. Arguments are in x0 to
// x8; x9 and x10 are free.
function cbr_enter_interposed
  mrs x9, tpidr_el0
  adrp x10, :gottprel:cbr_reentrancy
  ldr x10, [x10, :gottprel_lo12:cbr_reentrancy]
  add x9, x9, x10
  ldr x10, [x9, #CBR_REENTRANCY_IGNORED]
  cbnz x10, 1f
  str x30, [x9, #CBR_REENTRANCY_CALLER]
  mov x10, sp
  stp x10, x29, [x9, #CBR_REENTRANCY_STACK]
  str x20, [x9, #CBR_REENTRANCY_SELF]
  ldr x16, [x17, #CBR_INTERPOSED_HOOKED]
  br x16
1:
  ldr x16, [x17, #CBR_INTERPOSED_ORIGINAL]
  br x16
end cbr_enter_interposed

// void *cbr_call_through(first, second, function, gate): calls `function(first, second)` so that it
// returns to the gate's code, which loads a frame record that this code has stored where the gate
// finds it, and so returns to this code. The address is signed for a gate that authenticates it;
// the modifier is the stack pointer that the gate leaves.
function cbr_call_through
  push_frame 16
  .cfi_def_cfa x29, 16
  ldp x4, x5, [x3, #CBR_GATE_RECORD]
  ldr x6, [x3, #CBR_GATE_IS_AUTHENTICATING]
  mov x16, sp
  adr x17, 1f
  cbz x6, 0f
  hint #8  // pacia1716
0:
  sub sp, sp, x5
  add x4, sp, x4
  stp x29, x17, [x4]
  ldr x30, [x3]
  mov x16, x2
  br x16
1:
  pop_frame 16
  ret
end cbr_call_through

mark_image
#endif
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif

// The code that runs a timed Swift function itself. See CBRTimedCalls.h.
#if defined(__aarch64__)
#include "CBRFunctions.h"
#include "CBRTimedCalls.h"

  .text

// Stubs jump here; x17 holds their `cbr_timed_function`. x9, x10 and x16 pass nothing to Swift
// functions.
function cbr_enter_timed
  mrs x9, tpidr_el0
  adrp x10, :gottprel:cbr_expected
  ldr x10, [x10, :gottprel_lo12:cbr_expected]
  str x17, [x9, x10]
  ldr x16, [x17, #CBR_TIMED_FUNCTION]
  br x16
end cbr_enter_timed

mark_image
#endif
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif

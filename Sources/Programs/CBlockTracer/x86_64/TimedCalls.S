// The code that runs a timed Swift function itself. See CBRTimedCalls.h.
#if defined(__x86_64__)
#include "CBRFunctions.h"
#include "CBRTimedCalls.h"

  .text

// Stubs jump here; r11 holds their `cbr_timed_function`. r10 and r11 pass nothing to Swift
// functions.
function cbr_enter_timed
  mov cbr_expected@gottpoff(%rip), %r10
  mov %r11, %fs:(%r10)
  jmp *CBR_TIMED_FUNCTION(%r11)
end cbr_enter_timed

mark_image
#endif
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif

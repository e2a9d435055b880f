// Macros of the assembly files: the begin and end of a function, and the note on control-flow protection.

.macro function name
  .p2align 4
  .globl \name
  .hidden \name
  .type \name, @function
\name:
  .cfi_startproc
  endbr64
.endm

.macro end name
  .cfi_endproc
  .size \name, . - \name
.endm

// Declares that indirect branches reach only endbr64 (IBT), and that each call returns to its caller (SHSTK).
.macro mark_image
  .section .note.gnu.property, "a"
  .p2align 3
  .long 4
  .long 16
  .long 5
  .asciz "GNU"
  .long 0xc0000002
  .long 4
  .long 3
  .long 0
.endm

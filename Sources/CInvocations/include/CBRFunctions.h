// What the assembly files share: the frame of a function, and what they say of themselves.

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

// Indirect branches land on endbr64 only, and every call returns to its caller.
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

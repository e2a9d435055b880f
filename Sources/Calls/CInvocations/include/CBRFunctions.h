// Macros of the assembly files: the begin and end of a function, and the note on control-flow
// protection.

.macro function name
  .p2align 4
  .globl \name
  .hidden \name
  .type \name, %function
\name:
  .cfi_startproc
#if defined(__x86_64__)
  endbr64
#elif defined(__aarch64__)
  hint #34  // bti c
#endif
.endm

.macro end name
  .cfi_endproc
  .size \name, . - \name
.endm

#if defined(__x86_64__)
// Begins a frame with the caller's frame pointer, and ends it; unwinders are told.
.macro push_frame
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
.endm

.macro pop_frame
  leave
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbp
.endm
#elif defined(__aarch64__)
// Signs the return address, before it is saved, and checks it before the return; unwinders are
// told. On processors without this the instructions do nothing.
.macro sign_return_address
  hint #25  // paciasp
  .cfi_negate_ra_state
.endm

.macro authenticate_return_address
  hint #29  // autiasp
  .cfi_negate_ra_state
.endm

// Begins a frame of some bytes, which the frame record begins, and ends it when all else is popped;
// unwinders are told.
.macro push_frame bytes
  sign_return_address
  stp x29, x30, [sp, #-\bytes]!
  .cfi_def_cfa_offset \bytes
  .cfi_offset x29, -\bytes
  .cfi_offset x30, 8-\bytes
  mov x29, sp
.endm

.macro pop_frame bytes
  ldp x29, x30, [sp], #\bytes
  .cfi_def_cfa sp, 0
  .cfi_restore x29
  .cfi_restore x30
  authenticate_return_address
.endm
#endif

// Declares, on x86-64, that indirect branches reach only endbr64 (IBT), and that each call returns
// to its caller (SHSTK); on AArch64, that indirect branches reach only landing pads (BTI), and that
// return addresses are signed (PAC).
.macro mark_image
  .section .note.gnu.property, "a"
  .p2align 3
  .long 4
  .long 16
  .long 5
  .asciz "GNU"
#if defined(__x86_64__)
  .long 0xc0000002
#elif defined(__aarch64__)
  .long 0xc0000000
#endif
  .long 4
  .long 3
  .long 0
.endm

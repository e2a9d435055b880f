// Calls with the registers in memory, and entries that save registers to memory. See
// CBRCallMemory.h and CBRCallEntry.h.
//
// Specification: AAPCS64; of Swift's convention, x20 holds a closure's captures and x21 its error.
// x18, the platform register, is not used; x16 and x17 hold nothing across calls, which linkers may
// lead through code that changes them.
#if defined(__aarch64__)
#include "CBRBlockAttachment.h"
#include "CBRCallEntry.h"
#include "CBRCallMemory.h"
#include "CBRFunctions.h"

#define INTEGER(n) (CBR_MEMORY_INTEGERS + 8 * (n))
#define FLOAT(n) (CBR_MEMORY_FLOATS + CBR_MEMORY_FLOAT_SIZE * (n))

// The size of an entry's frame below its frame record: the call's memory without the stack
// arguments, which are above the record.
#define ENTRY_FRAME (CBR_MEMORY_STACK - 16)

// Loads or saves the argument registers, integers and floating-point ones, in the call's memory.
.macro load_integers memory
  ldp x0, x1, [\memory, #INTEGER(0)]
  ldp x2, x3, [\memory, #INTEGER(2)]
  ldp x4, x5, [\memory, #INTEGER(4)]
  ldp x6, x7, [\memory, #INTEGER(6)]
  ldr x8, [\memory, #CBR_MEMORY_RESULT_ADDRESS]
.endm

.macro save_integers memory
  stp x0, x1, [\memory, #INTEGER(0)]
  stp x2, x3, [\memory, #INTEGER(2)]
  stp x4, x5, [\memory, #INTEGER(4)]
  stp x6, x7, [\memory, #INTEGER(6)]
  str x8, [\memory, #CBR_MEMORY_RESULT_ADDRESS]
.endm

.macro load_floats memory
  ldp q0, q1, [\memory, #FLOAT(0)]
  ldp q2, q3, [\memory, #FLOAT(2)]
  ldp q4, q5, [\memory, #FLOAT(4)]
  ldp q6, q7, [\memory, #FLOAT(6)]
.endm

.macro save_floats memory
  stp q0, q1, [\memory, #FLOAT(0)]
  stp q2, q3, [\memory, #FLOAT(2)]
  stp q4, q5, [\memory, #FLOAT(4)]
  stp q6, q7, [\memory, #FLOAT(6)]
.endm

// Loads the argument registers from the call's memory at x19; w2 is the number of floating-point
// registers in use.
.macro load_arguments
  cbz w2, 1f
  load_floats x19
1:
  load_integers x19
.endm

// Loads or saves a plain result in the call's memory.
.macro load_plain_result memory
  ldp x0, x1, [\memory, #CBR_MEMORY_RESULT]
  ldr q0, [\memory, #CBR_MEMORY_FLOAT_RESULT]
.endm

.macro save_plain_result memory
  stp x0, x1, [\memory, #CBR_MEMORY_RESULT]
  str q0, [\memory, #CBR_MEMORY_FLOAT_RESULT]
.endm

// Loads (`ldp`) or saves (`stp`) the members of a homogeneous aggregate, which are registers of a
// kind and size, in the call's memory.
.macro move_members instruction, kind, size, memory
  \instruction \kind\()0, \kind\()1, [\memory, #CBR_MEMORY_FLOAT_RESULT]
  \instruction \kind\()2, \kind\()3, [\memory, #(CBR_MEMORY_FLOAT_RESULT + 2 * \size)]
.endm

  .text

// void cbr_call_registers(void *memory, const void *function, uint32_t floats)
function cbr_call_registers
  push_frame 32
  str x19, [sp, #16]
  .cfi_offset x19, -16
  mov x19, x0
  mov x9, x1
  load_arguments
  blr x9
  save_plain_result x19
  ldr x19, [sp, #16]
  .cfi_restore x19
  pop_frame 32
  ret
end cbr_call_registers

// void cbr_call_memory(void *memory, const void *function, uint32_t floats, uint32_t stack_bytes,
//                      uint32_t result)
function cbr_call_memory
  push_frame 32
  .cfi_def_cfa x29, 32
  stp x19, x20, [sp, #16]
  .cfi_offset x19, -16
  .cfi_offset x20, -8
  mov x19, x0
  mov x9, x1
  mov w20, w4
  // Push the last words first, two by two: the stack must grow page by page.
  add x10, x19, #CBR_MEMORY_STACK
  add x10, x10, w3, uxtw
2:
  cbz w3, 3f
  ldp x11, x12, [x10, #-16]!
  stp x11, x12, [sp, #-16]!
  sub w3, w3, #16
  b 2b
3:
  load_arguments
  blr x9
  cmp w20, #CBR_RESULT_FLOATS
  b.hi 5f
  b.eq 4f
  save_plain_result x19
  b 9f
4:
  move_members stp, s, 4, x19
  b 9f
5:
  cmp w20, #CBR_RESULT_QUADS
  b.eq 6f
  move_members stp, d, 8, x19
  b 9f
6:
  move_members stp, q, 16, x19
9:
  mov sp, x29
  ldp x19, x20, [sp, #16]
  .cfi_restore x19
  .cfi_restore x20
  pop_frame 32
  ret
end cbr_call_memory

// The frame of a narrow entry, from the stack pointer upwards: the call's memory, Swift's
// CallFrame, the address of the end of its hazard pointer, the frame record, two registers.
#define NARROW_FRAME (CBR_MEMORY_STACK - 16)
#define NARROW_HAZARD_END (NARROW_FRAME + CBR_FRAME_HAZARD_END)
#define NARROW_RECORD (NARROW_HAZARD_END + 16)
#define NARROW_SIZE (NARROW_RECORD + 32)

#if CBR_TARGET_REPLACEMENT != CBR_TARGET_PLAN + 8 || CBR_TARGET_ACTIVATION != CBR_TARGET_CONTEXT + 8
#error "The narrow entry loads these words in pairs."
#endif
#if CBR_FRAME_MEMORY != CBR_FRAME_ACTIVATION + 8 || CBR_FRAME_TARGET != CBR_FRAME_PLAN + 8
#error "The narrow entry stores these words in pairs."
#endif

// Loads the hazard pointer's address.
.macro load_hazard register
  ldr \register, [sp, #NARROW_HAZARD_END]
  sub \register, \register, #CBR_HAZARD_SIZE
.endm

// Loads the thread's record.
.macro load_thread register, scratch
  mrs \scratch, tpidr_el0
  adrp \register, :gottprel:cbr_this_thread
  ldr \register, [\register, :gottprel_lo12:cbr_this_thread]
  ldr \register, [\scratch, \register]
.endm

// Clears the hazard pointer, or jumps if it is not the thread's latest: the stack may have been
// moved to another thread since the call began. The condition is `ne` afterwards if a thread waits
// for it. Stores with release, so that no load of what was protected comes after them.
.macro clear_hazard out_of_order
  load_thread x10, x11
  ldr x11, [sp, #NARROW_HAZARD_END]
  ldr x12, [x10, #CBR_THREAD_TOP]
  cmp x11, x12
  b.ne \out_of_order
  sub x12, x11, #CBR_HAZARD_SIZE
  add x13, x12, #CBR_HAZARD_PROTECTED
  stlr xzr, [x13]
  str x12, [x10, #CBR_THREAD_TOP]
  stlr xzr, [x12]
  ldr x13, [x12, #CBR_HAZARD_AWAITED]
  cmp x13, #0
.endm

// Clears a hazard pointer that is not the latest; sets the condition as `clear_hazard` does.
.macro end_out_of_order
  load_hazard x0
  bl cbr_hazard_clear_out_of_order
  tst w0, #0xFF
.endm

// Calls one of the functions in Swift.
.macro call_entered offset
  adrp x9, cbr_entered_call
  add x9, x9, :lo12:cbr_entered_call
  ldr x9, [x9, #\offset]
  blr x9
.endm

.macro return_from_narrow
  .cfi_remember_state
  .cfi_def_cfa sp, NARROW_SIZE
  ldp x20, x21, [sp, #(NARROW_RECORD + 16)]
  ldp x29, x30, [sp, #NARROW_RECORD]
  add sp, sp, #NARROW_SIZE
  .cfi_def_cfa sp, 0
  .cfi_restore x20
  .cfi_restore x21
  .cfi_restore x29
  .cfi_restore x30
  authenticate_return_address
  ret
  .cfi_restore_state
.endm

// The code of hooked blocks whose calls are narrow. The loads depend on the block's address; a
// barrier of `cbr_block_change_invoke` sees to it that the descriptor is not older than the invoke
// pointer which led here.
function cbr_enter_block_narrow
  ldr x17, [x0, #CBR_BLOCK_DESCRIPTOR]
  ldr x17, [x17, #CBR_DESCRIPTOR_ENTRY]
  b .Lenter_narrow
end cbr_enter_block_narrow

// The code that stubs of function pointers jump to whose calls are narrow; x17 holds the entry.
function cbr_enter_function_narrow
.Lenter_narrow:
  sign_return_address
  mov x9, x17
  sub sp, sp, #NARROW_SIZE
  .cfi_def_cfa_offset NARROW_SIZE
  stp x29, x30, [sp, #NARROW_RECORD]
  .cfi_offset x29, -32
  .cfi_offset x30, -24
  add x29, sp, #NARROW_RECORD
  .cfi_def_cfa x29, 32
  stp x20, x21, [sp, #(NARROW_RECORD + 16)]
  .cfi_offset x20, -16
  .cfi_offset x21, -8
  stp x0, x1, [sp, #INTEGER(0)]
  str x2, [sp, #INTEGER(2)]
  stp q0, q1, [sp, #FLOAT(0)]
  // Protect the receiver by the thread's first free hazard pointer, and check that it is still the
  // entry's. A thread that replaces it orders the store and the second load, by membarrier(2). That
  // load acquires: the receiver may be a new one at the old one's address.
  load_thread x15, x10
  ldr x10, [x15, #CBR_THREAD_TOP]
  ldr x11, [x10]
  tbnz x11, #0, 6f
  add x11, x10, #CBR_HAZARD_SIZE
  str x11, [sp, #NARROW_HAZARD_END]
  str x11, [x15, #CBR_THREAD_TOP]
  mov x12, sp
  str x12, [x10, #CBR_HAZARD_STACK]
  add x13, x9, #CBR_ENTRY_RECEIVER
  ldr x14, [x13]
  str x14, [x10]
  ldar x11, [x13]
  cmp x11, x14
  b.ne 15f
16:
  ldp x11, x10, [x14, #CBR_TARGET_PLAN]  // and CBR_TARGET_REPLACEMENT
  cbnz x10, 10f
  // Make the frame, and call the closure: x20 holds its captures, x21 receives its error.
  ldp x20, x10, [x14, #CBR_TARGET_CONTEXT]  // and CBR_TARGET_ACTIVATION
  stp x10, x12, [sp, #(NARROW_FRAME + CBR_FRAME_ACTIVATION)]  // and CBR_FRAME_MEMORY
  stp x11, x14, [sp, #(NARROW_FRAME + CBR_FRAME_PLAN)]  // and CBR_FRAME_TARGET
  strb wzr, [sp, #(NARROW_FRAME + CBR_FRAME_OUTCOME)]
  add x0, sp, #NARROW_FRAME
  mov x21, #0
  ldr x9, [x14, #CBR_TARGET_BODY]
  blr x9
  cbnz x21, 7f
2:
  ldrb w11, [sp, #(NARROW_FRAME + CBR_FRAME_OUTCOME)]
  cmp w11, #CBR_OUTCOME_RESULT
  b.ne 8f
3:
  clear_hazard 12f
  b.ne 9f
4:
  ldr x0, [sp, #CBR_MEMORY_RESULT]
  ldr d0, [sp, #CBR_MEMORY_FLOAT_RESULT]
  return_from_narrow
6:
  // There is no free hazard pointer: Swift runs the call, and makes one.
  ldr x10, [x9, #CBR_ENTRY_RUN]
  mov x0, x9
  mov x1, sp
  blr x10
  b 4b
7:
  add x0, sp, #NARROW_FRAME
  mov x1, x21
  load_hazard x2
  call_entered 0
  b 2b
8:
  add x0, sp, #NARROW_FRAME
  call_entered 8
  mov x20, x0
  cbz x0, 3b
  // The object that owns what the result points to is released last.
  clear_hazard 13f
5:
  b.eq 1f
  load_hazard x0
  call_entered 16
1:
  mov x0, x20
  bl cbr_release_later
  b 4b
9:
  load_hazard x0
  call_entered 16
  b 4b
10:
  // A block of the same type replaces the called one: the other arguments are still in their
  // registers.
  mov x0, x10
  ldr x9, [x10, #CBR_BLOCK_INVOKE]
  blr x9
  clear_hazard 14f
  b.ne 11f
  return_from_narrow
11:
  str x0, [sp, #CBR_MEMORY_RESULT]
  str d0, [sp, #CBR_MEMORY_FLOAT_RESULT]
  b 9b
14:
  str x0, [sp, #CBR_MEMORY_RESULT]
  str d0, [sp, #CBR_MEMORY_FLOAT_RESULT]
12:
  end_out_of_order
  b.ne 9b
  b 4b
13:
  end_out_of_order
  b 5b
15:
  // The receiver was replaced meanwhile: protect the new one.
  mov x0, x10
  mov x1, x13
  bl cbr_hazard_protect_again
  mov x14, x0
  ldr x1, [sp, #INTEGER(1)]
  ldr x2, [sp, #INTEGER(2)]
  ldr d0, [sp, #FLOAT(0)]
  ldr d1, [sp, #FLOAT(1)]
  mov x12, sp
  b 16b
end cbr_enter_function_narrow

// The code of all other hooked blocks; the block is the first argument also if the result is in
// memory.
function cbr_enter_block
  ldr x17, [x0, #CBR_BLOCK_DESCRIPTOR]
  ldr x17, [x17, #CBR_DESCRIPTOR_ENTRY]
  b .Lenter
end cbr_enter_block

// The code of function pointers that call a block; x17 holds the structure with the block.
function cbr_enter_call_of_block
  mov x7, x6
  mov x6, x5
  mov x5, x4
  mov x4, x3
  mov x3, x2
  mov x2, x1
  mov x1, x0
  ldr x0, [x17, #CBR_BLOCK_CALL_BLOCK]
  // Through x16, which landing pads for calls accept.
  ldr x16, [x0, #CBR_BLOCK_INVOKE]
  br x16
end cbr_enter_call_of_block

// The code that all other stubs of function pointers jump to; x17 holds the entry.
function cbr_enter_function
.Lenter:
  push_frame 16
  .cfi_def_cfa x29, 16
  sub sp, sp, #ENTRY_FRAME
  save_integers sp
  ldr w9, [x17, #CBR_ENTRY_FLOATS]
  cbz w9, 1f
  save_floats sp
1:
  ldr x9, [x17, #CBR_ENTRY_RUN]
  mov x0, x17
  mov x1, sp
  blr x9
  cmp w0, #CBR_RESULT_FLOATS
  b.hi 3f
  b.eq 2f
  load_plain_result sp
  b 7f
2:
  move_members ldp, s, 4, sp
  b 7f
3:
  cmp w0, #CBR_RESULT_QUADS
  b.eq 4f
  move_members ldp, d, 8, sp
  b 7f
4:
  move_members ldp, q, 16, sp
7:
  mov sp, x29
  pop_frame 16
  ret
end cbr_enter_function

// The code that stubs of variadic functions jump to; x17 holds the entry.
function cbr_enter_variadic
  push_frame 16
  .cfi_def_cfa x29, 16
  sub sp, sp, #ENTRY_FRAME
  save_integers sp
  save_floats sp
  ldr x9, [x17, #CBR_ENTRY_RUN]
  mov x0, x17
  mov x1, sp
  blr x9
  cmp w0, #CBR_RESULT_JUMP
  b.eq 1f
  load_plain_result sp
  .cfi_remember_state
  mov sp, x29
  pop_frame 16
  ret
1:
  .cfi_restore_state
  load_integers sp
  load_floats sp
  ldp x16, x17, [sp, #CBR_MEMORY_RESULT]
  mov sp, x29
  pop_frame 16
  br x16
end cbr_enter_variadic

  mark_image
#endif
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif

// Calls with the registers in memory, and entries that save registers to memory. See
// CBRCallMemory.h and CBRCallEntry.h.
//
// Specification: System V ABI, AMD64 supplement, 3.2 and, for endbr64, the CET addendum.
#if defined(__x86_64__)
#include "CBRBlockAttachment.h"
#include "CBRCallEntry.h"
#include "CBRCallMemory.h"
#include "CBRFunctions.h"

#define INTEGER(n) (CBR_MEMORY_INTEGERS + 8 * (n))
#define FLOAT(n) (CBR_MEMORY_FLOATS + 8 * (n))
#define STACK(vectors) (CBR_MEMORY_STACK + CBR_FLOAT_REGISTERS * vectors)

// Loads `vectors` bytes of a vector register from memory.
.macro load_vector n, vectors, place
  .if \vectors == 64
  vmovups \place, %zmm\n
  .elseif \vectors == 32
  vmovups \place, %ymm\n
  .else
  movups \place, %xmm\n
  .endif
.endm

// Saves what `load_vector` loads.
.macro save_vector n, vectors, place
  .if \vectors == 64
  vmovups %zmm\n, \place
  .elseif \vectors == 32
  vmovups %ymm\n, \place
  .else
  movups %xmm\n, \place
  .endif
.endm

// Clears the upper parts of the vector registers before code that knows only xmm0 to xmm15.
.macro clear_upper vectors
  .if \vectors > 16
  vzeroupper
  .endif
.endm

// Loads the low eight bytes of a floating-point register, or `vectors` bytes of it, from the call's
// memory.
.macro load_float n, vectors, memory
  .if \vectors
  load_vector \n, \vectors, (CBR_MEMORY_VECTORS + \vectors * \n)(\memory)
  .else
  movsd FLOAT(\n)(\memory), %xmm\n
  .endif
.endm

// Saves what `load_float` loads.
.macro save_float n, vectors, memory
  .if \vectors
  save_vector \n, \vectors, (CBR_MEMORY_VECTORS + \vectors * \n)(\memory)
  .else
  movsd %xmm\n, FLOAT(\n)(\memory)
  .endif
.endm

// Loads or saves the integer registers of arguments, in the memory of a call that begins at an
// offset from a register.
.macro load_integers register, offset=0
  mov \offset+INTEGER(0)(\register), %rdi
  mov \offset+INTEGER(1)(\register), %rsi
  mov \offset+INTEGER(2)(\register), %rdx
  mov \offset+INTEGER(3)(\register), %rcx
  mov \offset+INTEGER(4)(\register), %r8
  mov \offset+INTEGER(5)(\register), %r9
.endm

.macro save_integers register, offset=0
  mov %rdi, \offset+INTEGER(0)(\register)
  mov %rsi, \offset+INTEGER(1)(\register)
  mov %rdx, \offset+INTEGER(2)(\register)
  mov %rcx, \offset+INTEGER(3)(\register)
  mov %r8, \offset+INTEGER(4)(\register)
  mov %r9, \offset+INTEGER(5)(\register)
.endm

// Loads the argument registers from the call's memory at rbx; edx is the number of floating-point
// registers in use.
.macro load_arguments vectors=0
  mov %edx, %eax
  test %edx, %edx
  je 1f
  .irp n, 0, 1, 2, 3
  load_float \n, \vectors, %rbx
  .endr
  cmp $4, %edx
  jbe 1f
  .irp n, 4, 5, 6, 7
  load_float \n, \vectors, %rbx
  .endr
1:
  load_integers %rbx
.endm

// Loads a plain result from the memory of a call that begins at an offset from a register.
.macro load_plain_result register, offset=0
  mov \offset+CBR_MEMORY_RESULT(\register), %rax
  mov \offset+CBR_MEMORY_RESULT+8(\register), %rdx
  movsd \offset+CBR_MEMORY_FLOAT_RESULT(\register), %xmm0
  movsd \offset+CBR_MEMORY_FLOAT_RESULT+8(\register), %xmm1
.endm

// Saves a plain result to the call's memory at rbx.
.macro save_plain_result
  mov %rax, CBR_MEMORY_RESULT(%rbx)
  mov %rdx, CBR_MEMORY_RESULT+8(%rbx)
  movsd %xmm0, CBR_MEMORY_FLOAT_RESULT(%rbx)
  movsd %xmm1, CBR_MEMORY_FLOAT_RESULT+8(%rbx)
.endm

// The frame of a narrow entry, from its frame pointer downwards: two registers, eight bytes that
// are unused, Swift's CallFrame, which ends with the address of the end of the hazard pointer, the
// call's memory.
#define NARROW_FRAME (CBR_MEMORY_STACK - 16)
#define NARROW_HAZARD_END (NARROW_FRAME + CBR_FRAME_HAZARD_END)
#define NARROW_SIZE (NARROW_FRAME + CBR_FRAME_SIZE + 8)

// Loads the hazard pointer's address.
.macro load_hazard register
  mov NARROW_HAZARD_END(%rsp), \register
  sub $CBR_HAZARD_SIZE, \register
.endm

// Clears the hazard pointer, or jumps if it is not the thread's latest: the stack may have been
// moved to another thread since the call began. The zero flag is clear afterwards if a thread waits
// for it.
.macro clear_hazard out_of_order
  mov cbr_this_thread@gottpoff(%rip), %rdx
  mov %fs:(%rdx), %rdx
  mov NARROW_HAZARD_END(%rsp), %rcx
  cmp %rcx, CBR_THREAD_TOP(%rdx)
  jne \out_of_order
  movq $0, (CBR_HAZARD_PROTECTED - CBR_HAZARD_SIZE)(%rcx)
  subq $CBR_HAZARD_SIZE, CBR_THREAD_TOP(%rdx)
  movq $0, -CBR_HAZARD_SIZE(%rcx)
  cmpq $0, (CBR_HAZARD_AWAITED - CBR_HAZARD_SIZE)(%rcx)
.endm

// Clears a hazard pointer that is not the latest; sets the zero flag as `clear_hazard` does.
.macro end_out_of_order
  load_hazard %rdi
  call cbr_hazard_clear_out_of_order
  test %al, %al
.endm

.macro return_from_narrow
  add $NARROW_SIZE, %rsp
  pop %r13
  pop %r12
  pop %rbp
  .cfi_remember_state
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbp
  .cfi_restore %r12
  .cfi_restore %r13
  ret
  .cfi_restore_state
.endm

  .text

// void cbr_call_registers(void *memory, const void *function, uint32_t floats)
function cbr_call_registers
  push %rbx
  .cfi_def_cfa_offset 16
  .cfi_offset %rbx, -16
  mov %rdi, %rbx
  mov %rsi, %r11
  load_arguments
  call *%r11
  save_plain_result
  pop %rbx
  .cfi_def_cfa_offset 8
  .cfi_restore %rbx
  ret
end cbr_call_registers

// void cbr_call_memory(void *memory, const void *function, uint32_t floats, uint32_t stack_bytes,
//                     uint32_t result)
.macro call_memory vectors
  push_frame
  push %rbx
  push %r12
  .cfi_offset %rbx, -24
  .cfi_offset %r12, -32
  mov %rdi, %rbx
  mov %rsi, %r11
  mov %r8d, %r12d
  // Push the last word first, word by word: the stack must grow page by page.
  mov %ecx, %ecx
  .if \vectors > 16
  // The arguments on the stack begin at a multiple of the vectors' size.
  mov %rsp, %rax
  sub %rcx, %rax
  and $(\vectors - 1), %eax
  sub %rax, %rsp
  .endif
2:
  test %rcx, %rcx
  je 3f
  push (STACK(\vectors)-8)(%rbx,%rcx)
  sub $8, %rcx
  jmp 2b
3:
  load_arguments \vectors
  call *%r11
  .if \vectors
  cmp $CBR_RESULT_VECTOR, %r12d
  jne 6f
  save_vector 0, \vectors, CBR_MEMORY_RESULT(%rbx)
  clear_upper \vectors
  jmp 9f
6:
  .endif
  cmp $CBR_RESULT_INTEGER_FLOAT, %r12d
  ja 5f
  je 4f
  save_plain_result
  jmp 9f
4:
  mov %rax, CBR_MEMORY_RESULT(%rbx)
  movsd %xmm0, CBR_MEMORY_RESULT+8(%rbx)
  jmp 9f
5:
  cmp $CBR_RESULT_X87, %r12d
  ja 7f
  je 8f
  movsd %xmm0, CBR_MEMORY_RESULT(%rbx)
  mov %rax, CBR_MEMORY_RESULT+8(%rbx)
  jmp 9f
7:
  fstpt CBR_MEMORY_X87_RESULT(%rbx)
  fstpt CBR_MEMORY_X87_RESULT+16(%rbx)
  jmp 9f
8:
  fstpt CBR_MEMORY_X87_RESULT(%rbx)
9:
  lea -16(%rbp), %rsp
  pop %r12
  pop %rbx
  pop %rbp
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbp
  .cfi_restore %rbx
  .cfi_restore %r12
  ret
.endm

function cbr_call_memory
  call_memory 0
end cbr_call_memory

// The code of hooked blocks whose calls are narrow.
function cbr_enter_block_narrow
  mov CBR_BLOCK_DESCRIPTOR(%rdi), %r11
  mov CBR_DESCRIPTOR_ENTRY(%r11), %r11
  jmp .Lenter_narrow
end cbr_enter_block_narrow

// The code that stubs of function pointers jump to whose calls are narrow; r11 holds the entry.
function cbr_enter_function_narrow
.Lenter_narrow:
  push_frame
  push %r12
  push %r13
  .cfi_offset %r12, -24
  .cfi_offset %r13, -32
  sub $NARROW_SIZE, %rsp
  mov %rdi, INTEGER(0)(%rsp)
  mov %rsi, INTEGER(1)(%rsp)
  mov %rdx, INTEGER(2)(%rsp)
  movsd %xmm0, FLOAT(0)(%rsp)
  movsd %xmm1, FLOAT(1)(%rsp)
  // Protect the receiver by the thread's first free hazard pointer, and check that it is still the
  // entry's.
  mov cbr_this_thread@gottpoff(%rip), %r10
  mov %fs:(%r10), %r10
  mov CBR_THREAD_TOP(%r10), %rax
  testb $1, (%rax)
  jne 6f
  lea CBR_HAZARD_SIZE(%rax), %rcx
  mov %rcx, NARROW_HAZARD_END(%rsp)
  mov %rcx, CBR_THREAD_TOP(%r10)
  mov %rsp, CBR_HAZARD_STACK(%rax)
  mov CBR_ENTRY_RECEIVER(%r11), %r10
  mov %r10, (%rax)
  cmp %r10, CBR_ENTRY_RECEIVER(%r11)
  jne 15f
16:
  cmpq $0, CBR_TARGET_REPLACEMENT(%r10)
  jne 10f
  // Make the frame, and call the closure: r13 holds its captures, r12 receives its error.
  mov CBR_TARGET_ACTIVATION(%r10), %rcx
  mov %rcx, NARROW_FRAME+CBR_FRAME_ACTIVATION(%rsp)
  mov %rsp, NARROW_FRAME+CBR_FRAME_MEMORY(%rsp)
  mov CBR_TARGET_PLAN(%r10), %rcx
  mov %rcx, NARROW_FRAME+CBR_FRAME_PLAN(%rsp)
  mov %r10, NARROW_FRAME+CBR_FRAME_TARGET(%rsp)
  movb $0, NARROW_FRAME+CBR_FRAME_OUTCOME(%rsp)
  lea NARROW_FRAME(%rsp), %rdi
  mov CBR_TARGET_CONTEXT(%r10), %r13
  xor %r12d, %r12d
  call *CBR_TARGET_BODY(%r10)
  test %r12, %r12
  jne 7f
2:
  cmpb $CBR_OUTCOME_RESULT, NARROW_FRAME+CBR_FRAME_OUTCOME(%rsp)
  jne 8f
3:
  clear_hazard 12f
  jne 9f
4:
  mov CBR_MEMORY_RESULT(%rsp), %rax
  movsd CBR_MEMORY_FLOAT_RESULT(%rsp), %xmm0
  return_from_narrow
6:
  // There is no free hazard pointer: Swift runs the call, and makes one.
  mov %r11, %rdi
  mov %rsp, %rsi
  call *CBR_ENTRY_RUN(%r11)
  jmp 4b
7:
  lea NARROW_FRAME(%rsp), %rdi
  mov %r12, %rsi
  load_hazard %rdx
  call *cbr_entered_call(%rip)
  jmp 2b
8:
  lea NARROW_FRAME(%rsp), %rdi
  call *cbr_entered_call+8(%rip)
  mov %rax, %r12
  test %rax, %rax
  je 3b
  // The object that owns what the result points to is released last.
  clear_hazard 13f
5:
  je 1f
  load_hazard %rdi
  call *cbr_entered_call+16(%rip)
1:
  mov %r12, %rdi
  call cbr_release_later@PLT
  jmp 4b
9:
  load_hazard %rdi
  call *cbr_entered_call+16(%rip)
  jmp 4b
10:
  // A block of the same type replaces the called one: the other arguments are still in their
  // registers.
  mov CBR_TARGET_REPLACEMENT(%r10), %rdi
  call *CBR_BLOCK_INVOKE(%rdi)
  clear_hazard 14f
  jne 11f
  return_from_narrow
11:
  mov %rax, CBR_MEMORY_RESULT(%rsp)
  movsd %xmm0, CBR_MEMORY_FLOAT_RESULT(%rsp)
  jmp 9b
14:
  mov %rax, CBR_MEMORY_RESULT(%rsp)
  movsd %xmm0, CBR_MEMORY_FLOAT_RESULT(%rsp)
12:
  end_out_of_order
  jne 9b
  jmp 4b
13:
  end_out_of_order
  jmp 5b
15:
  // The receiver was replaced meanwhile: protect the new one.
  mov %rax, %rdi
  lea CBR_ENTRY_RECEIVER(%r11), %rsi
  call cbr_hazard_protect_again
  mov %rax, %r10
  mov INTEGER(1)(%rsp), %rsi
  mov INTEGER(2)(%rsp), %rdx
  movsd FLOAT(0)(%rsp), %xmm0
  movsd FLOAT(1)(%rsp), %xmm1
  jmp 16b
end cbr_enter_function_narrow

// The code of hooked blocks whose results are returned through memory: the block is the second
// argument.
function cbr_enter_block_with_memory_result
  mov CBR_BLOCK_DESCRIPTOR(%rsi), %r11
  mov CBR_DESCRIPTOR_ENTRY(%r11), %r11
  jmp .Lenter
end cbr_enter_block_with_memory_result

// The code of all other hooked blocks.
function cbr_enter_block
  mov CBR_BLOCK_DESCRIPTOR(%rdi), %r11
  mov CBR_DESCRIPTOR_ENTRY(%r11), %r11
  jmp .Lenter
end cbr_enter_block

// The code of function pointers that call a block; r11 holds the structure with the block.
function cbr_enter_call_of_block
  mov %r8, %r9
  mov %rcx, %r8
  mov %rdx, %rcx
  mov %rsi, %rdx
  mov %rdi, %rsi
  mov CBR_BLOCK_CALL_BLOCK(%r11), %rdi
  jmp *CBR_BLOCK_INVOKE(%rdi)
end cbr_enter_call_of_block

// The code of such function pointers where the first argument is the address of the result.
function cbr_enter_call_of_block_with_memory_result
  mov %r8, %r9
  mov %rcx, %r8
  mov %rdx, %rcx
  mov %rsi, %rdx
  mov CBR_BLOCK_CALL_BLOCK(%r11), %rsi
  jmp *CBR_BLOCK_INVOKE(%rsi)
end cbr_enter_call_of_block_with_memory_result

// Enters a call whose entry r11 holds. The frame, below the frame pointer, is the call's memory
// without the stack arguments, which are above the saved frame pointer and the return address.
.macro enter_call vectors
  push_frame
  sub $(STACK(\vectors) - 16), %rsp
  save_integers %rsp
  mov CBR_ENTRY_FLOATS(%r11), %eax
  test %eax, %eax
  je 1f
  .irp n, 0, 1, 2, 3
  save_float \n, \vectors, %rsp
  .endr
  cmp $4, %eax
  jbe 1f
  .irp n, 4, 5, 6, 7
  save_float \n, \vectors, %rsp
  .endr
1:
  clear_upper \vectors
  mov %r11, %rdi
  mov %rsp, %rsi
  call *CBR_ENTRY_RUN(%r11)
  test %eax, %eax
  jne 2f
  load_plain_result %rsp
  jmp 7f
2:
  .if \vectors
  cmp $CBR_RESULT_VECTOR, %eax
  jne 6f
  load_vector 0, \vectors, CBR_MEMORY_RESULT(%rsp)
  jmp 7f
6:
  .endif
  cmp $CBR_RESULT_FLOAT_INTEGER, %eax
  ja 4f
  je 3f
  mov CBR_MEMORY_RESULT(%rsp), %rax
  movsd CBR_MEMORY_RESULT+8(%rsp), %xmm0
  jmp 7f
3:
  movsd CBR_MEMORY_RESULT(%rsp), %xmm0
  mov CBR_MEMORY_RESULT+8(%rsp), %rax
  jmp 7f
4:
  cmp $CBR_RESULT_X87, %eax
  je 5f
  fldt CBR_MEMORY_X87_RESULT+16(%rsp)
5:
  fldt CBR_MEMORY_X87_RESULT(%rsp)
7:
  pop_frame
  ret
.endm

// The code that all other stubs of function pointers jump to; r11 holds the entry.
function cbr_enter_function
.Lenter:
  enter_call 0
end cbr_enter_function

// The calls with vectors of so many bytes, and the code that such calls enter.
.irp bytes, 16, 32, 64
function cbr_call_vectors_\bytes
  call_memory \bytes
end cbr_call_vectors_\bytes

function cbr_enter_function_vectors_\bytes
.Lenter_vectors_\bytes:
  enter_call \bytes
end cbr_enter_function_vectors_\bytes

function cbr_enter_block_vectors_\bytes\()_with_memory_result
  mov CBR_BLOCK_DESCRIPTOR(%rsi), %r11
  mov CBR_DESCRIPTOR_ENTRY(%r11), %r11
  jmp .Lenter_vectors_\bytes
end cbr_enter_block_vectors_\bytes\()_with_memory_result

function cbr_enter_block_vectors_\bytes
  mov CBR_BLOCK_DESCRIPTOR(%rdi), %r11
  mov CBR_DESCRIPTOR_ENTRY(%r11), %r11
  jmp .Lenter_vectors_\bytes
end cbr_enter_block_vectors_\bytes
.endr

// The offset from rbp of the memory of a variadic call that has entered, and a place in that
// memory.
#define ENTERED_MEMORY (16 - CBR_MEMORY_STACK)
#define ENTERED(place) (ENTERED_MEMORY + (place))(%rbp)

// The code that stubs of variadic functions jump to; r11 holds the entry. The frame has whole
// vector registers below the call's memory, for calls that go on.
function cbr_enter_variadic
  push_frame
  sub $(CBR_MEMORY_STACK - 16 + 128), %rsp
  save_integers %rbp, ENTERED_MEMORY
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  movaps %xmm\n, (16 * \n)(%rsp)
  movsd %xmm\n, ENTERED(FLOAT(\n))
  .endr
  mov %r11, %rdi
  lea ENTERED(0), %rsi
  call *CBR_ENTRY_RUN(%r11)
  cmp $CBR_RESULT_JUMP, %eax
  je 1f
  load_plain_result %rbp, ENTERED_MEMORY
  .cfi_remember_state
  pop_frame
  ret
1:
  .cfi_restore_state
  load_integers %rbp, ENTERED_MEMORY
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  movaps (16 * \n)(%rsp), %xmm\n
  movlps ENTERED(FLOAT(\n)), %xmm\n
  .endr
  // al is at least the number of vector registers that hold arguments.
  mov $8, %eax
  mov ENTERED(CBR_MEMORY_RESULT), %r10
  mov ENTERED(CBR_MEMORY_RESULT + 8), %r11
  pop_frame
  jmp *%r10
end cbr_enter_variadic

  mark_image
#endif
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif

// Code that jumps through a word: the linker's option --wrap leads the calls of a function to its
// `__wrap_`, and names the function itself `__real_`.
#include "CBRImages.h"
#include "CBRWrappedFunctions.h"
#include "CBRWrappedSlots.h"
#include "CStaticTracing.h"

// JUMP goes on through a word, and CALL calls a function that has all its arguments in registers.
#if defined(__x86_64__)
#define JUMP(slot) "endbr64\n jmp *" slot "(%rip)\n"
#define CALL(function)                                              \
  "endbr64\n sub $8, %rsp\n .cfi_adjust_cfa_offset 8\n"             \
  "call " function "@PLT\n"                                         \
  "add $8, %rsp\n .cfi_adjust_cfa_offset -8\n ret\n"
#elif defined(__aarch64__)
#define JUMP(slot) "bti c\n adrp x16, " slot "\n ldr x16, [x16, :lo12:" slot "]\n br x16\n"
#define CALL(function)                                              \
  "paciasp\n .cfi_negate_ra_state\n"                                \
  "stp x29, x30, [sp, #-16]!\n .cfi_adjust_cfa_offset 16\n"         \
  ".cfi_offset x29, -16\n .cfi_offset x30, -8\n"                    \
  "bl " function "\n"                                               \
  "ldp x29, x30, [sp], #16\n .cfi_adjust_cfa_offset -16\n"          \
  ".cfi_restore x29\n .cfi_restore x30\n"                           \
  "autiasp\n .cfi_negate_ra_state\n ret\n"
#endif

// Weak: a function that nothing calls, or that is not wrapped, is not there.
#define CODE(function)                                                       \
  extern char real_##function[] __asm__("__real_" #function) __attribute__((weak)); \
  __attribute__((used, visibility("hidden"))) const void *cbr_slot_##function = real_##function; \
  __asm__(                                                                   \
      ".text\n"                                                              \
      ".p2align 4\n"                                                         \
      ".globl __wrap_" #function "\n"                                        \
      ".hidden __wrap_" #function "\n"                                       \
      ".type __wrap_" #function ", %function\n"                              \
      "__wrap_" #function ":\n" JUMP("cbr_slot_" #function)                  \
      ".size __wrap_" #function ", . - __wrap_" #function "\n");

#define CODE_AND_CALL(function)                                              \
  CODE(function)                                                             \
  extern char call_##function[] __asm__("cbr_call_" #function)               \
      __attribute__((visibility("hidden")));                                 \
  _Static_assert(CBR_WRAPPED_CALL_SIZE == 32, "the alignment");              \
  __asm__(                                                                   \
      ".p2align 5\n"                                                         \
      ".type cbr_call_" #function ", %function\n"                            \
      "cbr_call_" #function ":\n .cfi_startproc\n" CALL("__real_" #function) \
      ".cfi_endproc\n .size cbr_call_" #function ", . - cbr_call_" #function "\n");

CBR_WRAPPED_FUNCTIONS(CODE_AND_CALL, CODE, CODE)

#define OF_DISPATCH(function) \
  {.name = #function, .image = "", .slot = &cbr_slot_##function, .call = call_##function},
#define OF_PROGRAM(function) {.name = #function, .image = "", .slot = &cbr_slot_##function},
#define OF_CONCURRENCY(function) \
  {.name = #function, .image = "libswift_Concurrency.so", .slot = &cbr_slot_##function},

bool cbr_add_static_functions(void) {
  const char *image = cbr_image_of(cbr_slot__Block_copy);
  if (!image || *image) return false;
  static const struct cbr_wrapped_slot slots[] = {CBR_WRAPPED_FUNCTIONS(OF_DISPATCH, OF_PROGRAM, OF_CONCURRENCY)};
  cbr_add_wrapped_slots(slots, sizeof slots / sizeof *slots);
  return true;
}

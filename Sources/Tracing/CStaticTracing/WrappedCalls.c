// Code that jumps through a word: the linker's option --wrap leads the calls of a function to its `__wrap_`, and
// names the function itself `__real_`.
#include "CBRImages.h"
#include "CBRWrappedFunctions.h"
#include "CBRWrappedSlots.h"
#include "CStaticTracing.h"

#if defined(__x86_64__)
#define JUMP(slot) "endbr64\n jmp *" slot "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(slot) "bti c\n adrp x16, " slot "\n ldr x16, [x16, :lo12:" slot "]\n br x16\n"
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

CBR_WRAPPED_FUNCTIONS(CODE, CODE)

#define OF_PROGRAM(function) {.name = #function, .image = "", .slot = &cbr_slot_##function},
#define OF_CONCURRENCY(function) \
  {.name = #function, .image = "libswift_Concurrency.so", .slot = &cbr_slot_##function},

bool cbr_add_static_functions(void) {
  const char *image = cbr_image_of(cbr_slot__Block_copy);
  if (!image || *image) return false;
  static const struct cbr_wrapped_slot slots[] = {CBR_WRAPPED_FUNCTIONS(OF_PROGRAM, OF_CONCURRENCY)};
  cbr_add_wrapped_slots(slots, sizeof slots / sizeof *slots);
  return true;
}

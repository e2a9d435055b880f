#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>

#include "CFixtures.h"

#if defined(__x86_64__)
enum { TRAP_FLAG = 0x100 };

static volatile size_t count;

// The processor traps after each instruction while the flag is set; in a handler it is not.
static void step(int signal, siginfo_t *information, void *context) { count++; }

size_t fixture_instructions(void (*body)(void *context), void *context) {
  struct sigaction stepping = {.sa_sigaction = step, .sa_flags = SA_SIGINFO}, before;
  if (sigaction(SIGTRAP, &stepping, &before) != 0) return 0;
  count = 0;
  // Behind the red zone.
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp; pushfq; orq %0, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::"i"(
          TRAP_FLAG)
      : "cc", "memory");
  body(context);
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp; pushfq; andq %0, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::"i"(
          ~TRAP_FLAG)
      : "cc", "memory");
  sigaction(SIGTRAP, &before, NULL);
  return count;
}
#else
size_t fixture_instructions(void (*body)(void *context), void *context) { return 0; }
#endif

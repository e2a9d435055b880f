// Code that runs an instruction at a time.
#pragma once

#include <signal.h>
#include <stdbool.h>

enum { TRAP_FLAG = 0x100 };

// Runs `body`; the processor traps after each of its instructions, to `step`, where the flag is not set. `step`
// may clear the flag in its context: then the rest runs as ever. `flags` may add SA_ONSTACK. False if nothing
// was run.
static inline bool run_in_steps(void (*body)(void *), void *argument,
                                void (*step)(int, siginfo_t *, void *), int flags) {
  struct sigaction stepping = {.sa_sigaction = step, .sa_flags = SA_SIGINFO | flags}, before;
  if (sigaction(SIGTRAP, &stepping, &before) != 0) return false;
  // Behind the red zone.
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp; pushfq; orq %0, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::"i"(
          TRAP_FLAG)
      : "cc", "memory");
  body(argument);
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp; pushfq; andq %0, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::"i"(
          ~TRAP_FLAG)
      : "cc", "memory");
  sigaction(SIGTRAP, &before, NULL);
  return true;
}

#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>

#include "CBRRunningCalls.h"
#include "CFixtures.h"

#if defined(__x86_64__)
enum { TRAP_FLAG = 0x100 };

// The place that the next announcement takes.
static const struct cbr_running *place;
static void (*interruption)(void *);
static void *argument;

static void step(int signal, siginfo_t *information, void *context) {
  if (!__atomic_load_n(&place->what, __ATOMIC_RELAXED)) return;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
  interruption(argument);
}

bool fixture_interrupt_announcement(void (*body)(void *), void (*interrupt)(void *),
                                    void *context) {
  struct sigaction stepping = {.sa_sigaction = step, .sa_flags = SA_SIGINFO}, before;
  if (sigaction(SIGTRAP, &stepping, &before) != 0) return false;
  place = cbr_thread_current()->top;
  interruption = interrupt;
  argument = context;
  // Behind the red zone.
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp; pushfq; orq %0, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::"i"(
          TRAP_FLAG)
      : "cc", "memory");
  body(context);
  // Where nothing was announced.
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp; pushfq; andq %0, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::"i"(
          ~TRAP_FLAG)
      : "cc", "memory");
  sigaction(SIGTRAP, &before, NULL);
  return true;
}
#else
bool fixture_interrupt_announcement(void (*body)(void *), void (*interrupt)(void *),
                                    void *context) {
  return false;
}
#endif

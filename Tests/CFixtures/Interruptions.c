#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>

#include "CBRHazardPointers.h"
#include "CFixtures.h"

#if defined(__x86_64__)
#include "SingleSteps.h"

// The place that the next hazard pointer takes.
static const struct cbr_hazard *place;
static void (*interruption)(void *);
static void *argument;

static void step(int signal, siginfo_t *information, void *context) {
  if (!__atomic_load_n(&place->running, __ATOMIC_RELAXED)) return;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
  interruption(argument);
}

bool fixture_interrupt_protection(void (*body)(void *), void (*interrupt)(void *),
                                    void *context) {
  place = cbr_thread_current()->top;
  interruption = interrupt;
  argument = context;
  return run_in_steps(body, context, step);
}
#else
bool fixture_interrupt_protection(void (*body)(void *), void (*interrupt)(void *),
                                    void *context) {
  return false;
}
#endif

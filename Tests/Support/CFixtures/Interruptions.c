#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
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
  return run_in_steps(body, context, step, 0);
}

static size_t steps, unfound;

static void step_everywhere(int signal, siginfo_t *information, void *context) {
  static const char protected;
  struct cbr_hazard *hazard = cbr_hazard_protect(&protected);
  if (cbr_hazards_count_here(&protected) != 1) unfound++;
  cbr_hazard_clear(hazard);
  interruption(argument);
  steps++;
}

struct fixture_steps fixture_interrupt_everywhere(void (*body)(void *), void (*interrupt)(void *),
                                                  void *context, bool has_own_stack) {
  static char memory[1 << 19];
  stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory}, before;
  steps = unfound = 0;
  interruption = interrupt;
  argument = context;
  if (has_own_stack) sigaltstack(&stack, &before);
  run_in_steps(body, context, step_everywhere, has_own_stack ? SA_ONSTACK : 0);
  if (has_own_stack) sigaltstack(&before, NULL);
  return (struct fixture_steps){steps, unfound};
}
#else
bool fixture_interrupt_protection(void (*body)(void *), void (*interrupt)(void *),
                                    void *context) {
  return false;
}

struct fixture_steps fixture_interrupt_everywhere(void (*body)(void *), void (*interrupt)(void *),
                                                  void *context, bool has_own_stack) {
  return (struct fixture_steps){0, 0};
}
#endif

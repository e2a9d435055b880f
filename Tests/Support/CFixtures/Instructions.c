#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>

#include "CFixtures.h"

#if defined(__x86_64__)
#include "SingleSteps.h"

static volatile size_t count;

static void step(int signal, siginfo_t *information, void *context) { count++; }

size_t fixture_instructions(void (*body)(void *context), void *context) {
  count = 0;
  return run_in_steps(body, context, step, 0) ? count : 0;
}
#else
size_t fixture_instructions(void (*body)(void *context), void *context) { return 0; }
#endif

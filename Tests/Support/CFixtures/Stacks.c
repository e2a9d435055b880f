#include "CFixtures.h"

#include "CBRHazardPointers.h"

#include <stdlib.h>
#include <ucontext.h>

struct fixture_stack {
  ucontext_t context, resumer;
  void (*body)(void *);
  void *argument;
  bool is_over;
};

static struct fixture_stack *entered;

static void enter(void) {
  struct fixture_stack *stack = entered;
  stack->body(stack->argument);
  stack->is_over = true;
  swapcontext(&stack->context, &stack->resumer);
}

struct fixture_stack *fixture_stack_create(void *memory, size_t size, void (*body)(void *),
                                           void *argument) {
  struct fixture_stack *stack = calloc(1, sizeof *stack);
  stack->body = body;
  stack->argument = argument;
  getcontext(&stack->context);
  stack->context.uc_stack.ss_sp = memory;
  stack->context.uc_stack.ss_size = size;
  makecontext(&stack->context, enter, 0);
  return stack;
}

bool fixture_stack_resume(struct fixture_stack *stack) {
  entered = stack;
  swapcontext(&stack->resumer, &stack->context);
  return !stack->is_over;
}

void fixture_stack_yield(struct fixture_stack *stack) {
  swapcontext(&stack->context, &stack->resumer);
}

void fixture_stack_destroy(struct fixture_stack *stack) { free(stack); }

uintptr_t fixture_announce(uintptr_t what) {
  return (uintptr_t)cbr_hazard_protect((const void *)what);
}

void fixture_announcement_ends(uintptr_t place) {
  cbr_hazard_clear((struct cbr_hazard *)place);
}

size_t fixture_announced(uintptr_t what) {
  return cbr_hazards_await((const void *)what, false);
}

bool fixture_is_in_order(void) {
  // In disorder there is no free place, and the one that is not free ends no segment.
  return !(cbr_thread_current()->top->running & 1);
}

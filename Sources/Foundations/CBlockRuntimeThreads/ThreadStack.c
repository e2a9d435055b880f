#define _GNU_SOURCE
#include "CBRThreadStack.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "CBROwnCalls.h"

static _Thread_local struct {
  uintptr_t start;
  size_t size;
  bool is_known;
} own;

static void __attribute__((noinline)) ask(void) {
  OWN_CALLS;
  own.is_known = true;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void *start = NULL;
    size_t size = 0;
    if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
      own.start = (uintptr_t)start;
      own.size = size;
    }
    pthread_attr_destroy(&attributes);
  }
}

bool cbr_stack_is_own(const void *address) {
  if (!own.is_known) ask();
  return (uintptr_t)address - own.start < own.size;
}

// The address of a list entry, whatever the type of its variable.
typedef void *__attribute__((may_alias)) link;

void cbr_stack_list_remove(void *innermost, void *ending) {
  for (link *place = innermost; *place; place = *place) {
    void *variable = *place;
    bool is_left =
        variable < ending && cbr_stack_is_own(variable) && cbr_stack_is_own(ending);
    if (variable != ending && !is_left) continue;
    *place = *(link *)ending;
    return;
  }
}

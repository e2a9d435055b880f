#include "CBaselines.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

// The least that a token and a closure of their own cost: no wheel, no states, no reference counts.
struct token {
  struct token *next, *previous;
  uint64_t due;
  int state;
  void *closure;
  char rest[64];
};

static struct token pending = {&pending, &pending, 0, 0, NULL, {0}};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *cbl_delay_schedule(void) {
  struct token *token = malloc(sizeof *token);
  if (!token) return NULL;
  token->closure = malloc(24);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  token->due = (uint64_t)now.tv_nsec;
  token->state = 0;
  pthread_mutex_lock(&lock);
  token->previous = pending.previous;
  token->next = &pending;
  pending.previous->next = token;
  pending.previous = token;
  pthread_mutex_unlock(&lock);
  return token;
}

void cbl_delay_cancel(void *pointer) {
  struct token *token = pointer;
  int expected = 0;
  __atomic_compare_exchange_n(&token->state, &expected, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  pthread_mutex_lock(&lock);
  token->previous->next = token->next;
  token->next->previous = token->previous;
  pthread_mutex_unlock(&lock);
  free(token->closure);
  free(token);
}

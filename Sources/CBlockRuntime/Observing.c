#include "CBRObserving.h"

#include <pthread.h>
#include <time.h>

_Atomic(unsigned) cbr_observing_modes;

static _Thread_local struct cbr_observing_thread here;

struct cbr_observing_thread *cbr_observing_here(void) { return &here; }

void cbr_observing_begin_mode(void) {
  atomic_fetch_add_explicit(&cbr_observing_modes, 1, memory_order_relaxed);
}

void cbr_observing_end_mode(void) {
  atomic_fetch_sub_explicit(&cbr_observing_modes, 1, memory_order_relaxed);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;

void cbr_observing_wait(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  // A wake that came before the wait is missed: the waiter looks again after a millisecond.
  until.tv_nsec += 1000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    until.tv_sec += 1;
  }
  pthread_mutex_lock(&lock);
  pthread_cond_timedwait(&ended, &lock, &until);
  pthread_mutex_unlock(&lock);
}

void cbr_observing_wake(void) {
  pthread_mutex_lock(&lock);
  pthread_cond_broadcast(&ended);
  pthread_mutex_unlock(&lock);
}

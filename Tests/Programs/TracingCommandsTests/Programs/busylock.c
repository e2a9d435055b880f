// Two threads that take and release one mutex without end: they wait, but for no deadlock.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long count;

static void *work(void *unused) {
  while (1) {
    pthread_mutex_lock(&lock);
    for (int turn = 0; turn < 20000; turn++) count++;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  work(0);
}

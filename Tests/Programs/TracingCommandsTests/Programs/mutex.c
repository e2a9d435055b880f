#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(long milliseconds) {
  struct timespec time = {0, milliseconds * 1000000};
  nanosleep(&time, 0);
}

// One thread keeps a mutex for which the other waits.
static void *keep(void *unused) {
  pthread_mutex_lock(&lock);
  take(80);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, keep, 0)) return 1;
  take(20);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return pthread_join(thread, 0);
}

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "CFixtures.h"

// Told by the thread when it stands still, and when it goes on; tells it to go on.
static int told, goes_on;

static void stand_still(int signal) {
  eventfd_write(told, 1);
  struct pollfd event = {.fd = goes_on, .events = POLLIN};
  poll(&event, 1, 5);
  eventfd_write(told, 1);
}

void fixture_while_stopped(uintptr_t thread, void *context, void (*body)(void *context)) {
  told = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
  goes_on = eventfd(0, EFD_CLOEXEC);
  struct sigaction action = {.sa_handler = stand_still}, last;
  sigaction(SIGUSR1, &action, &last);
  eventfd_t count;
  pthread_kill((pthread_t)thread, SIGUSR1);
  eventfd_read(told, &count);
  body(context);
  eventfd_write(goes_on, 1);
  eventfd_read(told, &count);
  sigaction(SIGUSR1, &last, NULL);
  close(told);
  close(goes_on);
}

#include <dispatch/dispatch.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

void *_Block_copy(const void *block);

static void take(long milliseconds) {
  struct timespec time = {0, milliseconds * 1000000};
  nanosleep(&time, 0);
}

// A loop of ten ticks, one of which takes long.
int main(void) {
  int ends[2];
  if (pipe(ends)) return 1;
  void (^quick)(int) = _Block_copy(^(int tick) { take(tick % 2); });
  void (^slow)(void) = _Block_copy(^{ take(60); });
  for (int tick = 0; tick < 10; tick++) {
    struct pollfd end = {ends[0], POLLIN, 0};
    poll(&end, 1, 5);
    quick(tick);
    if (tick == 4) slow();
  }
  struct pollfd end = {ends[0], POLLIN, 0};
  poll(&end, 1, 5);
  return 0;
}

#define _GNU_SOURCE
#include "CBRTraceTime.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "CBROwnCalls.h"
#include "TraceCounter.h"

// A reading of counter and clock together is used if it took no more nanoseconds; it is tried so
// often.
enum { WIDTH_LIMIT = 1000, TRIES = 4 };

// After so many rates in a row that differ from the last, the counter is not used any more.
enum { DOUBT_LIMIT = 16 };

// A rate is different if it differs by more than this fraction: clocks are corrected by less.
enum { TOLERANCE_SHIFT = 10 };

struct cbr_trace_line cbr_trace_monotonic = {.is_unsteady = true};

// MARK: Lines

static uint64_t load(const _Atomic uint64_t *value) {
  return atomic_load_explicit(value, memory_order_relaxed);
}

static void store(_Atomic uint64_t *place, uint64_t value) {
  atomic_store_explicit(place, value, memory_order_relaxed);
}

// The nanoseconds per tick since the clock was last known, times 2^32; 0 if it cannot be told.
static uint64_t measured_rate(const struct cbr_trace_line *line, uint64_t ticks, uint64_t now) {
  uint64_t passed = ticks - line->known_ticks, known = load(&line->known_nanoseconds);
  // Readings in another order make large numbers.
  if (known == 0 || now <= known || passed == 0 || passed > INT64_MAX) return 0;
  unsigned __int128 rate = ((unsigned __int128)(now - known) << 32) / passed;
  // Counters of less than a tick in a thousand nanoseconds are of no use.
  return rate < (uint64_t)1 << 42 ? (uint64_t)rate : 0;
}

static bool is_similar(uint64_t rate, uint64_t other) {
  return (rate > other ? rate - other : other - rate) <= other >> TOLERANCE_SHIFT;
}

// The time that the clock reads, but not before the one that the line has given by then.
static uint64_t after_line(const struct cbr_trace_line *line, uint64_t ticks, uint64_t now) {
  uint64_t start = load(&line->ticks), span = load(&line->span), time = load(&line->nanoseconds);
  uint64_t passed = ticks - start;
  // A line that ended long ago, or begins far ahead, says nothing: the counter may have jumped.
  if (passed < 2 * span) {
    time += (passed < span ? passed : span) * load(&line->slope) >> 32;
  } else if (start - ticks > span) {
    return now;
  }
  return now < time && time - now < CBR_TRACE_LINE ? time : now;
}

// The time by a line that another thread has begun, or begins, meanwhile.
static uint64_t by_others_line(struct cbr_trace_line *line, uint64_t ticks, uint64_t now) {
  uint64_t time;
  if (cbr_trace_line_at(line, ticks, &time)) return time;
  uint32_t version = atomic_load_explicit(&line->version, memory_order_acquire);
  time = after_line(line, ticks, now);
  atomic_thread_fence(memory_order_acquire);
  bool is_same = atomic_load_explicit(&line->version, memory_order_relaxed) == version;
  return version % 2 == 0 && is_same ? time : now;
}

// Changes the line, which no other thread does meanwhile. Returns the time to use.
static uint64_t change(struct cbr_trace_line *line, uint64_t ticks, uint64_t now) {
  uint64_t known = load(&line->known_nanoseconds), start = after_line(line, ticks, now);
  uint64_t rate = measured_rate(line, ticks, now);
  bool is_known = rate != 0 && line->rate != 0 && is_similar(rate, line->rate);
  store(&line->span, 0);
  line->known_ticks = ticks;
  store(&line->known_nanoseconds, now);
  if (known == 0) return now;
  if (!is_known) {
    // The first rate is not in doubt. Others are: the system was suspended, or the process moved to
    // another machine, or the counter is unsteady. The clock is read until the next rate is
    // measured.
    if (line->rate != 0 && ++line->doubts == DOUBT_LIMIT) atomic_store(&line->is_unsteady, true);
    if (rate != 0) line->rate = rate;
    return start;
  }
  line->rate = rate;
  line->doubts = 0;
  // A rate is used for no longer than it was measured, and the line meets the clock's own at its
  // end.
  uint64_t length = now - known < CBR_TRACE_LINE ? now - known : CBR_TRACE_LINE, lead = start - now;
  uint64_t span = (length << 32) / rate;
  if (span == 0 || lead >= length) return start;
  store(&line->ticks, ticks);
  store(&line->nanoseconds, start);
  store(&line->slope, ((length - lead) << 32) / span);
  store(&line->span, span);
  return start;
}

uint64_t cbr_trace_line_follow(struct cbr_trace_line *line, uint64_t ticks, uint64_t now) {
  uint32_t version = atomic_load_explicit(&line->version, memory_order_relaxed);
  if (version % 2 != 0 ||
      !atomic_compare_exchange_strong_explicit(&line->version, &version, version + 1,
                                               memory_order_acquire, memory_order_relaxed))
    return by_others_line(line, ticks, now);
  // Readers that see what follows see the odd version, too.
  atomic_thread_fence(memory_order_release);
  // Another thread may have been faster.
  bool is_due = now >= load(&line->known_nanoseconds) + CBR_TRACE_BASELINE;
  uint64_t time = is_due ? change(line, ticks, now) : now;
  atomic_store_explicit(&line->version, version + 2, memory_order_release);
  return is_due ? time : by_others_line(line, ticks, now);
}

void cbr_trace_line_reset(struct cbr_trace_line *line) {
  uint32_t version = atomic_load(&line->version);
  if (version % 2 == 0) return;
  line->rate = 0;
  store(&line->span, 0);
  store(&line->known_nanoseconds, 0);
  atomic_store(&line->version, version + 1);
}

// MARK: The clock

static uint64_t clock_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t cbr_trace_read_clock(void) {
  OWN_CALLS;
  struct cbr_trace_line *line = &cbr_trace_monotonic;
  uint64_t now = clock_now(), ticks = 0;
  if (atomic_load_explicit(&line->is_unsteady, memory_order_relaxed)) return now;
  for (int try = 0; try < TRIES; try++) {
    uint64_t before = now;
    ticks = cbr_trace_counter();
    // No second reading while no line may begin.
    if (before < load(&line->known_nanoseconds) + CBR_TRACE_BASELINE) break;
    now = clock_now();
    if (now - before <= WIDTH_LIMIT)
      return cbr_trace_line_follow(line, ticks, before + (now - before) / 2);
  }
  return by_others_line(line, ticks, now);
}

void cbr_trace_time_in_child(void) { cbr_trace_line_reset(&cbr_trace_monotonic); }

// MARK: The counter

// The kernel compares the processors' counters, and stops using them if they differ.
bool cbr_trace_is_system_counter(const char *path) {
  OWN_CALLS;
  char name[64];
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t length = read(file, name, sizeof name - 1);
  close(file);
  if (length <= 1 || name[length - 1] != '\n') return false;
  name[length - 1] = 0;
  return strcmp(name, CBR_TRACE_COUNTER_NAME) == 0;
}

static void begin_to_use_counter(void) {
  const char *wish = getenv("BLOCKRUNTIME_TRACE_CLOCK");
  if (wish && strcmp(wish, "system") == 0) return;
  // Without the kernel's functions in the process, as under valgrind, the counter may be emulated.
  if (getauxval(AT_SYSINFO_EHDR) == 0 || !cbr_trace_counter_is_steady()) return;
  const char *source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  if (cbr_trace_is_system_counter(source)) atomic_store(&cbr_trace_monotonic.is_unsteady, false);
}

bool cbr_trace_use_counter(void) {
  OWN_CALLS;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, begin_to_use_counter);
  return !atomic_load(&cbr_trace_monotonic.is_unsteady);
}

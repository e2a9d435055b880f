#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "CBRCallMemory.h"
#include "CBlockTracer.h"

// The hash table of the counted functions' entries, at most half full, and its size less 1.
static const void *const *entries;
static uintptr_t mask;
// At the same places, the functions that are timed, too; NULL if there are none.
static const struct cbr_timed_function *const *timed;
// The counters: for each set of threads, as many as the table has places.
static _Atomic uint64_t *_Atomic all_counters;
static uint64_t sets;

// The counters of this thread's set. Threads of other sets do not wait for its cache lines.
static _Thread_local _Atomic uint64_t *counters __attribute__((tls_model("initial-exec")));

// The timed function that the thread has just entered, and that is about to ask for its
// replacement.
_Thread_local const struct cbr_timed_function *cbr_expected
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

typedef void *replacement(void **entry, void *function);
static replacement *_Atomic original;

static __attribute__((noinline)) _Atomic uint64_t *choose_counters(void) {
  static _Atomic uint64_t threads;
  _Atomic uint64_t *all = atomic_load_explicit(&all_counters, memory_order_acquire);
  if (all) counters = all + atomic_fetch_add(&threads, 1) % sets * (mask + 1);
  return counters;
}

static __attribute__((noinline)) void *ask_runtime_first(void **entry, void *function) {
  replacement *found = (replacement *)dlsym(RTLD_NEXT, "swift_getFunctionReplacement");
  atomic_store(&original, found);
  return found ? found(entry, function) : NULL;
}

static inline void *ask_runtime(void **entry, void *function) {
  // As the runtime's function begins: nearly all functions are not replaced.
  if (__atomic_load_n(entry, __ATOMIC_RELAXED) == function) return NULL;
  replacement *next = atomic_load_explicit(&original, memory_order_relaxed);
  return next ? next(entry, function) : ask_runtime_first(entry, function);
}

static inline void count(_Atomic uint64_t *counter) {
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

// Takes the place of the runtime's function, which every function of a module with implicit dynamic
// calls first, with its entry: the variable that leads to its replacement.
__attribute__((visibility("default"))) void *swift_getFunctionReplacement(void **entry,
                                                                          void *function) {
  // For each call a timed function asks twice: before the call is observed, and within.
  const struct cbr_timed_function *expected = cbr_expected;
  if (expected && expected->function == function) {
    cbr_expected = NULL;
    return ask_runtime(entry, function);
  }
  _Atomic uint64_t *mine = counters;
  if (!mine) mine = choose_counters();
  if (mine) {
    uintptr_t place = cbr_place_of_entry(entry) & mask;
    while (entries[place] && entries[place] != entry) place = (place + 1) & mask;
    if (entries[place]) {
      count(&mine[place]);
      if (timed && timed[place]) return (void *)timed[place]->observed;
    }
  }
  return ask_runtime(entry, function);
}

void cbr_count_swift_calls(const void *const *table,
                           const struct cbr_timed_function *const *timed_table, uint64_t size,
                           uint64_t *zeroes, uint64_t set_count) {
  entries = table;
  timed = timed_table;
  mask = size - 1;
  sets = set_count;
  atomic_store_explicit(&all_counters, (_Atomic uint64_t *)zeroes, memory_order_release);
}

#if CBR_HAS_CALL_PLANS
void cbr_enter_timed(void);

const void *cbr_timed_code(void) { return (const void *)cbr_enter_timed; }
#else
const void *cbr_timed_code(void) { return NULL; }
#endif

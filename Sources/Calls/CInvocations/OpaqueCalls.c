#include "CBROpaqueCalls.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <unwind.h>

#include "CBRCallMemory.h"
#include "CBRDeferredRelease.h"
#include "CBROwnCalls.h"
#include "CBRThreadStack.h"
#include "OpaquePlaces.h"

#if CBR_HAS_CALL_PLANS

_Static_assert(offsetof(struct cbr_opaque, original) == CBR_OPAQUE_ORIGINAL, "assembly");

// The parts of a call in progress that are kept while its original runs.
struct kept {
  const void *return_address;
  // The caller's value of the register that holds the address of this element.
  uintptr_t saved_register;
  // The caller's stack, at the return address if that was on it; NULL while the element is free,
  // before the original runs, and while the call is being abandoned; `elsewhere` once the call has
  // ended on another thread, to which its stack was moved.
  const void **place;
  const struct cbr_opaque *entry;
  struct cbr_opaque_call call;
  // Whether the element is in memory of its own.
  bool is_extra;
};

_Static_assert(offsetof(struct kept, return_address) == CBR_OPAQUE_KEPT_RETURN_ADDRESS, "assembly");
_Static_assert(offsetof(struct kept, saved_register) == CBR_OPAQUE_KEPT_REGISTER, "assembly");

enum { DEPTH = 64 };

// A handler of a signal may call such code between any two instructions, and its calls end before
// the thread goes on: so an element is claimed before it is filled, and has no place when it is
// given back.
struct thread_calls {
  struct kept kept[DEPTH];
  // One bit for each element of `kept`; changed in one step, because calls of a handler change
  // other bits.
  uint64_t used;
  bool is_end_noticed;
};

static _Thread_local struct thread_calls own_calls;

// The address of `own_calls` where the thread has asked for it: in a library that call costs twenty
// instructions, and the few bytes of static memory that libraries get are too few for the elements.
static _Thread_local struct thread_calls *known_calls __attribute__((tls_model("initial-exec")));

static __attribute__((noinline)) struct thread_calls *find_calls(void) {
  return known_calls = &own_calls;
}

static inline struct thread_calls *thread_calls(void) {
  struct thread_calls *calls = known_calls;
  return calls ? calls : find_calls();
}

static const void *elsewhere[1];

static inline uint64_t used_elements(const struct thread_calls *calls) {
  return __atomic_load_n(&calls->used, __ATOMIC_RELAXED);
}

// Claims an element that is free; NULL if none is.
static struct kept *claim(struct thread_calls *calls) {
  for (;;) {
    uint64_t used = used_elements(calls);
    if (~used == 0) return NULL;
    int index = __builtin_ctzll(~used);
    uint64_t bit = UINT64_C(1) << index;
    if (!(__atomic_fetch_or(&calls->used, bit, __ATOMIC_ACQ_REL) & bit)) return &calls->kept[index];
  }
}

// Makes an element for an entry of one call where the thread has no more: the call's arguments may
// refer to objects that the entry owns. If the call does not return, the element leaks: an unwinder
// may still read it.
static struct kept *make_extra(void) {
  OWN_CALLS;
  struct kept *kept = calloc(1, sizeof *kept);
  if (kept) kept->is_extra = true;
  return kept;
}

static void free_extra(struct kept *kept) {
  OWN_CALLS;
  free(kept);
}

static void give_back(struct thread_calls *calls, struct kept *kept) {
  size_t offset = (size_t)((uintptr_t)kept - (uintptr_t)calls->kept);
  if (offset < sizeof calls->kept) {
    __atomic_store_n(&kept->place, NULL, __ATOMIC_RELAXED);
    __atomic_fetch_and(&calls->used, ~(UINT64_C(1) << offset / sizeof *kept), __ATOMIC_ACQ_REL);
  } else {
    // The element's own thread, which acquires this, uses it again.
    __atomic_store_n(&kept->place, elsewhere, __ATOMIC_RELEASE);
  }
}

// The element is freed only after the observer was called: an unwinder may still read it.
static void abandon(struct thread_calls *calls, struct kept *kept) {
  __atomic_store_n(&kept->place, NULL, __ATOMIC_RELAXED);
  kept->entry->abandon(kept->entry->context, &kept->call);
  give_back(calls, kept);
}

// Whether longjmp has left the call at `kept_place`, as far as that can be detected from a call at
// `place`.
//
// The place of a call that was left is at a lower address of the thread's stack, on which both
// calls are; or it is on another stack, which may be unmapped: such places are examined only if the
// thread has no free element (`are_many`).
static bool is_left(const struct kept *kept, const void **kept_place, const void **place,
                    bool is_tail_call, bool are_many) {
  // A tail call has the same place as the call that made it.
  if (kept_place == place) return !is_tail_call;
  bool is_own = cbr_stack_is_own(kept_place);
  bool is_below = is_own && kept_place < place && cbr_stack_is_own(place);
  return (is_below || are_many) &&
         cbr_opaque_place_is_left(kept_place, kept->return_address, place, is_own);
}

static __attribute__((noinline)) void look_at_used(struct thread_calls *calls, const void **place,
                                                  bool is_tail_call, bool are_many) {
  for (uint64_t rest = used_elements(calls); rest; rest &= rest - 1) {
    struct kept *kept = &calls->kept[__builtin_ctzll(rest)];
    // The observer of another call may have freed this element meanwhile.
    const void **kept_place = __atomic_load_n(&kept->place, __ATOMIC_ACQUIRE);
    if (!kept_place) continue;
    if (kept_place == elsewhere)
      give_back(calls, kept);
    else if (is_left(kept, kept_place, place, is_tail_call, are_many))
      abandon(calls, kept);
  }
}

// Abandons the calls that longjmp has left, and frees the elements of those that ended on other
// threads.
static inline void look_for_left(struct thread_calls *calls, const void **place, bool is_tail_call,
                                 bool are_many) {
  if (used_elements(calls)) look_at_used(calls, place, is_tail_call, are_many);
}

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_ends(void *unused) {
  (void)unused;
  struct thread_calls *calls = thread_calls();
  // Code that the observers call may be observed too.
  calls->is_end_noticed = false;
  for (uint64_t rest = used_elements(calls); rest; rest &= rest - 1) {
    struct kept *kept = &calls->kept[__builtin_ctzll(rest)];
    // The observer of another call may have freed this element meanwhile.
    const void **place = __atomic_load_n(&kept->place, __ATOMIC_ACQUIRE);
    if (place && place != elsewhere) abandon(calls, kept);
  }
}

static void prepare(void) {
  if (pthread_key_create(&key, thread_ends) != 0) abort();
}

static void notice_end(struct thread_calls *calls) {
  OWN_CALLS;
  pthread_once(&once, prepare);
  calls->is_end_noticed = pthread_setspecific(key, calls) == 0;
}

// Saves the return address of a call at `place`. Returns NULL if too many calls are in progress:
// then the original is called without being observed.
struct kept *cbr_opaque_begin(const struct cbr_opaque *entry, const void **place,
                              const void *return_address) {
  KEEP_ERRNO;
  struct thread_calls *calls = thread_calls();
  bool is_tail_call = return_address == (const void *)cbr_opaque_return;
  look_for_left(calls, place, is_tail_call, false);
  struct kept *kept = claim(calls);
  if (!kept) {
    look_for_left(calls, place, is_tail_call, true);
    kept = claim(calls);
  }
  if (!kept && entry->is_of_one_call) kept = make_extra();
  if (!kept) {
    if (entry->is_of_one_call) cbr_release_later((void *)entry->context);
    return NULL;
  }
  if (!calls->is_end_noticed) notice_end(calls);
  // `place` is NULL until the original is about to run: calls that the observer makes must not take
  // this one for a call that was left.
  kept->return_address = return_address;
  kept->entry = entry;
  kept->call = (struct cbr_opaque_call){};
  entry->begin(entry->context, &kept->call);
  __atomic_store_n(&kept->place, place, __ATOMIC_RELEASE);
  return kept;
}

// Ends a call, whose return address has been restored.
void cbr_opaque_end(struct kept *kept, void *saved) {
  int error = errno;
  struct thread_calls *calls = thread_calls();
  struct kept ended = *kept;
  if (ended.is_extra)
    free_extra(kept);
  else
    give_back(calls, kept);
  look_for_left(calls, ended.place, true, false);
  // The end of an entry of one call, which it frees, may set what the caller finds.
  bool sets_error = ended.entry->is_of_one_call;
  errno = error;
  ended.entry->end(ended.entry->context, &ended.call, saved);
  if (!sets_error) errno = error;
}

void cbr_opaque_copy_result(void *saved, void *memory, bool is_to_memory) {
#ifdef CBR_OPAQUE_STATE
  if (!is_to_memory) *((uint8_t *)saved + CBR_OPAQUE_STATE) |= 2;
#endif
  for (int place = 0; place < 3; place++) {
    size_t size = place == 0 ? 16 : CBR_MEMORY_FLOAT_SIZE;
    char *own = (char *)saved + (place == 0 ? CBR_OPAQUE_INTEGERS : CBR_OPAQUE_FLOATS + 16 * (place - 1));
    char *others =
        (char *)memory + (place == 0 ? CBR_MEMORY_RESULT : CBR_MEMORY_FLOAT_RESULT + size * (place - 1));
    memcpy(is_to_memory ? others : own, is_to_memory ? own : others, size);
  }
}

// The personality routine of calls in progress: called when an exception or the thread's end
// unwinds them.
__attribute__((visibility("hidden"))) _Unwind_Reason_Code cbr_opaque_unwind(
    int version, _Unwind_Action actions, uint64_t kind, struct _Unwind_Exception *exception,
    struct _Unwind_Context *context) {
  (void)version, (void)kind, (void)exception;
  if ((actions & _UA_CLEANUP_PHASE) &&
      _Unwind_GetIP(context) == (uintptr_t)(const void *)cbr_opaque_return)
    abandon(thread_calls(), (struct kept *)_Unwind_GetGR(context, CBR_OPAQUE_REGISTER));
  return _URC_CONTINUE_UNWIND;
}
#else
const void *cbr_opaque_code(void) { return NULL; }
#endif

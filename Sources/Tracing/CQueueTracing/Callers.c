#define _GNU_SOURCE
#include "CBRCallers.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unwind.h>

#include "CBRAddressTable.h"
#include "CBRContainedLibraries.h"
#include "CBRImportSlots.h"
#include "CBROwnCalls.h"
#include "CBRReentrancy.h"
#include "CBRSymbols.h"

// A call in progress: where it returns to, and the stack and frame pointers there.
struct frame {
  uintptr_t code;
  uintptr_t stack;
  uintptr_t frame;
};

// The properties of a return address. The compiler fixes where a function's frame begins, seen from
// a place in its code: at a distance from the stack pointer, or at one from the frame pointer. So
// the beginning is found by unwinding once, and then computed.
enum {
  KNOWN = 1,
  // The code belongs to a library that is left out.
  LEFT_OUT = 2,
  // The frame begins at a distance from the stack pointer, which is above these bits.
  BY_STACK = 4,
  // The frame begins two words above the frame pointer.
  BY_FRAME = 8,
  DISTANCE_SHIFT = 8,
};

// The frame pointer's number in DWARF. Processors whose number is not known have none.
#if defined(__x86_64__)
#define FRAME_POINTER(context) _Unwind_GetGR(context, 6)
#elif defined(__aarch64__)
#define FRAME_POINTER(context) _Unwind_GetGR(context, 29)
#else
#define FRAME_POINTER(context) 0
#endif

// The library that is preloaded into traced programs, whose hooks stand between other calls.
static const char *const tracer[] = {"libBlockTracer.so", NULL};

// What every sender goes through, or every thread begins in.
static const char *const between[] = {
    "libdispatch.so", "libswiftDispatch.so", "libBlocksRuntime.so", "libc.so.6", NULL,
};

// Libraries that send blocks and call functions for their callers. Where none called them, they are
// the caller.
static const char *const senders[] = {
    "libFoundation.so", "libFoundationEssentials.so", "libFoundationInternationalization.so",
    "libswiftCore.so", "libswift_Concurrency.so", "libswiftGlibc.so", NULL,
};

// The beginnings of the symbols of functions that create tasks, or resume continuations, for their
// callers: Swift's library has them compiled into the programs that call them.
static const char *const creators[] = {
    "$sScTss5NeverORs_rlE", "$sScTss5Error_pRs_rlE", "$sScG7addTask", "$sScG21addTaskUnless",
    "$sScg7addTask", "$sScg21addTaskUnless", "$ss19DiscardingTaskGroupV7addTask",
    "$ss19DiscardingTaskGroupV21addTaskUnless", "$ss27ThrowingDiscardingTaskGroupV7addTask",
    "$ss27ThrowingDiscardingTaskGroupV21addTaskUnless", "$sScC6resume", "$sScc6resume", NULL,
};

static bool is_in(const char *const *files, uintptr_t code) {
  // A call may be the last instruction of its function.
  const char *path = cbr_library_of((const void *)(code - 1));
  if (!path) return false;
  const char *file = basename(path);
  for (; *files; files++) {
    if (strcmp(file, *files) == 0) return true;
  }
  return false;
}

static void compare_with_creators(const struct cbr_symbol *symbol, void *is_one) {
  for (const char *const *creator = creators; symbol->name && *creator; creator++) {
    size_t length = strlen(*creator);
    if (symbol->name_length >= length && memcmp(symbol->name, *creator, length) == 0) *(bool *)is_one = true;
  }
}

static bool is_in_creator(uintptr_t code) {
  bool is_one = false;
  cbr_visit_symbol((const void *)code, compare_with_creators, &is_one);
  return is_one;
}

static bool is_left_out(uintptr_t code) {
  return is_in(tracer, code) || is_in(between, code) || is_in(senders, code) || is_in_creator(code - 1);
}

// What is known of return addresses.
static struct cbr_address_table *callers;

static _Unwind_Reason_Code stop(struct _Unwind_Context *context, void *argument) {
  return _URC_END_OF_STACK;
}

static void create(void) {
  OWN_CALLS;
  callers = cbr_address_table_create(14);
  // The first use of the unwinder allocates memory.
  _Unwind_Backtrace(stop, NULL);
}

bool cbr_prepare_callers(void) {
  OWN_CALLS;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, create);
  return callers != NULL;
}

void cbr_forget_callers(void) {
  if (callers) cbr_address_clear(callers);
}

// MARK: Unwinding

struct unwinding {
  struct frame start;
  bool has_started;
  // The frame pointer there: a function that has none of its own may have changed the register
  // since.
  uintptr_t frame_pointer;
  // The code at which the stack ends, 0 if it has another end.
  uintptr_t end;
  const void **addresses;
  size_t count, limit;
  // The frame around the first one.
  struct frame next;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *argument) {
  struct unwinding *unwinding = argument;
  struct frame frame = {.code = _Unwind_GetIP(context), .stack = _Unwind_GetCFA(context)};
  if (frame.code == 0 || frame.code == unwinding->end) return _URC_END_OF_STACK;
  if (!unwinding->has_started) {
    unwinding->has_started =
        frame.code == unwinding->start.code && frame.stack == unwinding->start.stack;
    if (unwinding->has_started) unwinding->frame_pointer = FRAME_POINTER(context);
    return _URC_NO_REASON;
  }
  if (unwinding->next.code == 0) unwinding->next = frame;
  if (unwinding->count == unwinding->limit) return _URC_END_OF_STACK;
  unwinding->addresses[unwinding->count++] = (const void *)frame.code;
  return _URC_NO_REASON;
}

// The calls around one in progress.
static struct unwinding unwind(struct frame start, const void **addresses, size_t limit) {
  struct unwinding unwinding = {.start = start,
                                .end = (uintptr_t)cbr_gate_of_load(),
                                .addresses = addresses,
                                .limit = limit};
  _Unwind_Backtrace(visit, &unwinding);
  return unwinding;
}

// MARK: Finding

static uint64_t look(struct frame frame) {
  if (!is_left_out(frame.code)) return KNOWN;
#if defined(__x86_64__)
  const void *next;
  struct unwinding unwinding = unwind(frame, &next, 1);
  uintptr_t stack = unwinding.next.stack;
  if (unwinding.next.code == 0 || stack <= frame.stack) return KNOWN | LEFT_OUT;
  if (stack == unwinding.frame_pointer + 2 * sizeof(uintptr_t)) return KNOWN | LEFT_OUT | BY_FRAME;
  return KNOWN | LEFT_OUT | BY_STACK | (uint64_t)(stack - frame.stack) << DISTANCE_SHIFT;
#else
  return KNOWN | LEFT_OUT;
#endif
}

static uint64_t know(struct frame frame) {
  uint64_t known = cbr_address_word(callers, frame.code);
  if (known) return known;
  known = look(frame);
  cbr_address_store(callers, frame.code, known);
  return known;
}

// The innermost call that is not left out; its code is 0 if that cannot be computed.
static struct frame find(struct frame frame) {
  while (true) {
    uint64_t known = know(frame);
    if (!(known & LEFT_OUT)) return frame;
    if (known & BY_STACK) {
      frame.stack += known >> DISTANCE_SHIFT;
    } else if (known & BY_FRAME) {
      frame.stack = frame.frame + 2 * sizeof(uintptr_t);
      frame.frame = ((const uintptr_t *)frame.stack)[-2];
    } else {
      return (struct frame){0};
    }
    frame.code = ((const uintptr_t *)frame.stack)[-1];
    // A function without a frame pointer of its own may have changed the register.
    if (known & BY_STACK && know(frame) & BY_FRAME) return (struct frame){0};
  }
}

static bool leaves_out(uintptr_t code) {
  uint64_t known = cbr_address_word(callers, code);
  if (known) return known & LEFT_OUT;
  bool is_out = is_left_out(code);
  if (!is_out) cbr_address_store(callers, code, KNOWN);
  return is_out;
}

size_t cbr_find_callers(const void **addresses, size_t count) {
  OWN_CALLS;
  struct frame frame = {.code = (uintptr_t)cbr_reentrancy.caller,
                        .stack = (uintptr_t)cbr_reentrancy.stack,
                        .frame = (uintptr_t)cbr_reentrancy.frame};
  if (frame.code == 0 || count == 0 || !callers) return 0;
  struct frame found = find(frame);
  if (found.code != 0 && count == 1) {
    addresses[0] = (const void *)found.code;
    return 1;
  }
  const void *all[64];
  all[0] = (const void *)frame.code;
  size_t limit = sizeof all / sizeof *all - 1, start = 0;
  size_t end = 1 + unwind(frame, all + 1, limit).count;
  while (start < end && leaves_out((uintptr_t)all[start])) start++;
  if (start == end) {
    start = 0;
    while (start < end && (is_in(tracer, (uintptr_t)all[start]) || is_in(between, (uintptr_t)all[start])))
      start++;
  }
  size_t written = 0;
  for (; written < count && start < end; start++) {
    if (!is_in(tracer, (uintptr_t)all[start])) addresses[written++] = all[start];
  }
  return written;
}

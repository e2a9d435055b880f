#include <stdarg.h>
#include <sched.h>
#include <stdlib.h>

#include "CBRBlockLiteral.h"
#include "CFixtures.h"

#define Block_copy(...) _Block_copy((const void *)(__VA_ARGS__))

// SwiftPM does not show C targets the toolchain's <dispatch/dispatch.h>.
typedef void (^dispatch_block_t)(void);
typedef struct dispatch_queue_s *dispatch_queue_t;
typedef struct dispatch_source_s *dispatch_source_t;
extern const struct dispatch_source_type_s _dispatch_source_type_data_add;
dispatch_block_t dispatch_block_create(unsigned long flags, dispatch_block_t block);
dispatch_queue_t dispatch_get_global_queue(long identifier, unsigned long flags);
dispatch_queue_t dispatch_queue_create(const char *label, void *attributes);
dispatch_source_t dispatch_source_create(const struct dispatch_source_type_s *type,
                                         uintptr_t handle, unsigned long mask,
                                         dispatch_queue_t queue);
void dispatch_source_set_event_handler(dispatch_source_t source, dispatch_block_t handler);
void dispatch_source_merge_data(dispatch_source_t source, unsigned long value);
void dispatch_source_cancel(dispatch_source_t source);
void dispatch_async(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_sync(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_resume(void *object);
void dispatch_release(void *object);

static int (^const global_adder)(int, int) = ^(int a, int b) {
  return a + b;
};
const void *fixture_global_adder(void) { return (const void *)global_adder; }

static const char *(^const global_greeter)(const char *) = ^(const char *text) {
  return text;
};
const void *fixture_global_greeter(void) { return (const void *)global_greeter; }

const void *fixture_heap_countdown(uintptr_t *places) {
  __block int (^countdown)(int);
  countdown = (int (^)(int))Block_copy(^(int rest) {
    char here;
    if (places) places[rest] = (uintptr_t)&here;
    return rest > 0 ? countdown(rest - 1) + 1 : 0;
  });
  return (const void *)countdown;
}

const void *fixture_heap_adder(int base) {
  return Block_copy(^(int a) {
    return a + base;
  });
}

static void give(void *context, void (*body)(void *context, const void *block),
                 __attribute__((noescape)) int (^block)(int)) {
  body(context, (const void *)block);
}

void fixture_with_stack_block(void *context, void (*body)(void *context, const void *block)) {
  int base = 10;
  int (^block)(int) = ^(int a) {
    return a + base;
  };
  body(context, (const void *)block);
}

void fixture_with_noescape_block(void *context, void (*body)(void *context, const void *block)) {
  int base = 10;
  give(context, body, ^(int a) {
    return a + base;
  });
}

// Blocks that no compiler on Linux makes: without a signature, and with a capture layout.
struct descriptor {
  unsigned long reserved, size;
  const char *signature, *layout;
};
struct literal {
  void *isa;
  int flags, reserved;
  const void *invoke;
  const struct descriptor *descriptor;
};
static int doubled(void *block, int a) { return 2 * a; }
static void nothing(void *block) {}

const void *fixture_block_without_signature(void) {
  static const struct descriptor descriptor = {0, sizeof(struct literal), 0, 0};
  static struct literal literal = {_NSConcreteGlobalBlock, 1 << 28, 0, (const void *)doubled,
                                   &descriptor};
  return &literal;
}

const void *fixture_block_with_layout(void) {
  static const struct descriptor descriptor = {0, sizeof(struct literal), "v8@?0",
                                               (const char *)0x213};
  static struct literal literal = {_NSConcreteGlobalBlock, (int)(1u << 28 | 1u << 30 | 1u << 31), 0,
                                   (const void *)nothing, &descriptor};
  return &literal;
}

const void *fixture_dispatch_block(int *counter) {
  return (const void *)dispatch_block_create(0, ^{
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
  });
}

static struct fixture_large make_large(void *block, int a) {
  return (struct fixture_large){.a = a, .g = 2 * a};
}
const void *fixture_large_maker_without_signature(void) {
  static const struct descriptor descriptor = {0, sizeof(struct literal), 0, 0};
  static struct literal literal = {_NSConcreteGlobalBlock, 1 << 28, 0, (const void *)make_large,
                                   &descriptor};
  return &literal;
}

const void *fixture_block_that_captures_magic(void) {
  long magic = 0xD159B10C;
  struct { long words[8]; } other = {{1, 2, 3, 4, 5, 6, 7, 8}};
  return Block_copy(^{
    if (magic == other.words[0]) abort();
  });
}

typedef float vector __attribute__((vector_size(16)));
const void *fixture_vector_block(void) {
  return Block_copy(^int(vector a, int b) {
    return (int)a[0] + b;
  });
}

void fixture_with_capturing_block(int number, void *context,
                                  void (*body)(void *context, const void *block)) {
  double ratio = 2.5;
  void (^inner)(void) = Block_copy(^{
    if (ratio == 0) abort();
  });
  __block int shared = 100;
  void (^block)(struct fixture_captures *) = ^(struct fixture_captures *places) {
    shared++;
    *places = (struct fixture_captures){&number, &ratio, &inner, &shared};
  };
  body(context, (const void *)block);
  _Block_release((const void *)inner);
}

struct fixture_captures fixture_call_captures(const void *block) {
  struct fixture_captures places;
  ((void (^)(struct fixture_captures *))block)(&places);
  return places;
}

int fixture_call_int(const void *block, int a) { return ((int (^)(int))block)(a); }
int fixture_call_int_int(const void *block, int a, int b) {
  return ((int (^)(int, int))block)(a, b);
}
const char *fixture_call_string(const void *block, const char *text) {
  return ((const char *(^)(const char *))block)(text);
}
void fixture_call_void(const void *block) { ((void (^)(void))block)(); }
void fixture_release(const void *block) { _Block_release(block); }
const void *fixture_copy(const void *block) { return _Block_copy(block); }
uintptr_t fixture_reference_count(const void *block) {
  return (((const struct literal *)block)->flags & 0xFFFE) / 2;
}

typedef long (^fifteen)(char, short, int, long, double, double, double, double, double, long, long,
                        long, long, long, long);
const void *fixture_fifteen_block(void) {
  long base = 1000;
  return Block_copy(^long(char a, short b, int c, long d, double e, double f, double g, double h,
                          double i, long j, long k, long l, long m, long n, long o) {
    return base + a + 2 * b + 3 * c + 4 * d + (long)(5 * e + 6 * f + 7 * g + 8 * h + 9 * i) +
           10 * j + 11 * k + 12 * l + 13 * m + 14 * n + 15 * o;
  });
}
long fixture_call_fifteen(const void *block) {
  return ((fifteen)block)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

const void *fixture_applier(void) {
  int extra = 1;
  return Block_copy(^int(int (^function)(int), int value) {
    return function(value) + extra;
  });
}
const void *fixture_returner(void) {
  int extra = 1;
  return Block_copy(^(int base) {
    return (int (^)(int))Block_copy(^(int value) {
      return base + value + extra;
    });
  });
}

void fixture_visit(const int *values, size_t count, void (*visitor)(int, void *), void *context) {
  for (size_t index = 0; index < count; index++) visitor(values[index], context);
}

int fixture_sum_variadic(int count, ...) {
  va_list list;
  va_start(list, count);
  double sum = 0;
  for (int index = 0; index < count; index++)
    sum += index % 2 ? va_arg(list, double) : va_arg(list, int);
  va_end(list);
  return (int)sum;
}

const void *fixture_large_block(void) {
  long factor = 1;
  return Block_copy(^struct fixture_large(struct fixture_large value, int add) {
    value.a += factor * add;
    value.g += factor * add;
    return value;
  });
}
struct fixture_large fixture_call_large(const void *block, struct fixture_large value, int add) {
  return ((struct fixture_large(^)(struct fixture_large, int))block)(value, add);
}

void *fixture_source_create(const void *block) {
  dispatch_source_t source =
      dispatch_source_create(&_dispatch_source_type_data_add, 0, 0, dispatch_get_global_queue(0, 0));
  dispatch_source_set_event_handler(source, (dispatch_block_t)block);
  dispatch_resume(source);
  return source;
}
void fixture_source_fire_and_wait(void *source, int *counter, int expected) {
  dispatch_source_merge_data(source, 1);
  while (__atomic_load_n(counter, __ATOMIC_SEQ_CST) < expected) sched_yield();
}
void fixture_source_cancel(void *source) {
  dispatch_source_cancel(source);
  dispatch_release(source);
}
void fixture_dispatch_async_and_wait(const void *block) {
  dispatch_queue_t queue = dispatch_queue_create("fixture", 0);
  dispatch_async(queue, (dispatch_block_t)block);
  dispatch_sync(queue, ^{
  });
  dispatch_release(queue);
}

void fixture_increment(int *counter) { __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST); }

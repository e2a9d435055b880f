// Blocks and functions that the tests describe, call and hook. Blocks are returned as plain
// pointers: Swift would turn a block type into a native closure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One C type by value: an identity function of `int (7), value, double (2.5)` in every form.
struct fixture_type {
  const char *name;
  size_t size;
  const void *sample;
  // A heap block and a function that return their second own argument.
  const void *(*make_block)(void);
  const void *function;
  // Calls a block or function with the sample; true if it returns the sample.
  bool (*check_block)(const void *block);
  bool (*check_function)(const void *function);
};
const struct fixture_type *fixture_types(size_t *count);

// Blocks by where they live.
const void *fixture_global_adder(void);              // int (int, int)
const void *fixture_heap_adder(int base);            // int (int)
// int (int): counts down to 0 by calling itself, notes the place of each call on the stack by the
// number it got, if there are places, and returns the number of calls within.
const void *fixture_heap_countdown(uintptr_t *places);
const void *fixture_global_greeter(void);            // const char *(const char *)
void fixture_with_stack_block(void *context, void (*body)(void *context, const void *block));
// The same, given to a function that does not keep it.
void fixture_with_noescape_block(void *context, void (*body)(void *context, const void *block));
const void *fixture_block_without_signature(void);   // int (int), doubles
const void *fixture_block_with_layout(void);         // void (), 2 strong, 1 byref, 3 weak
const void *fixture_dispatch_block(int *counter);    // dispatch_block_create, adds 1
const void *fixture_vector_block(void);              // a vector argument vanishes from its encoding

// What the library reads as the signature and the layout of a block without helpers that gets its first
// hook in the midst of it, before an instruction with a number from 1 on: "i8@?0" and "\x12". Sets whether
// there are no more instructions.
const char *fixture_read_signature(size_t step, bool *is_over);
const char *fixture_read_layout(size_t step, bool *is_over);

// Runs `body` while another thread stands still wherever it is, but not for more than some milliseconds:
// `body` may wait for a lock that it has.
void fixture_while_stopped(uintptr_t thread, void *context, void (*body)(void *context));

// Where clang put what a block captures: inside the block, a capture's address is its place.
struct fixture_captures { const int *number; const double *ratio; const void *block; int *shared; };
// Runs `body` with a block on the stack, void (struct fixture_captures *), that adds 1 to its shared
// variable.
void fixture_with_capturing_block(int number, void *context,
                                  void (*body)(void *context, const void *block));

// Callers.
int fixture_call_int(const void *block, int a);
int fixture_call_int_int(const void *block, int a, int b);
const char *fixture_call_string(const void *block, const char *text);
void fixture_call_void(const void *block);
struct fixture_captures fixture_call_captures(const void *block);
long fixture_call_fifteen(const void *block);
void fixture_release(const void *block);
const void *fixture_copy(const void *block);
uintptr_t fixture_reference_count(const void *block);

// long (char, short, int, long, 5 doubles, 6 longs): more arguments than registers.
const void *fixture_fifteen_block(void);

// A block that takes a block and calls it, and one that returns one.
const void *fixture_applier(void);   // int (int (^)(int), int)
const void *fixture_returner(void);  // int (^(int))(int)

// A callback with a user pointer, as C libraries take it.
void fixture_visit(const int *values, size_t count, void (*visitor)(int value, void *context),
                   void *context);
int fixture_sum_variadic(int count, ...);

// 56 bytes, a record that other libraries' tests use.
struct fixture_large { long a, b, c, d, e, f, g; };
const void *fixture_large_block(void);  // struct fixture_large (struct fixture_large, int)
const void *fixture_large_maker_without_signature(void);  // struct fixture_large (int)
const void *fixture_block_that_captures_magic(void);     // void (void)
struct fixture_large fixture_call_large(const void *block, struct fixture_large value, int add);

void fixture_increment(int *counter);

// Records whose first half takes the last integer register, or finds none left.
struct fixture_mixed { long a; double b; };
double fixture_last_register(long a, long b, long c, long d, double x, double y, long e,
                             struct fixture_mixed record, double z);
double fixture_past_the_last_register(long a, long b, long c, long d, long e, long f, double x,
                                      struct fixture_mixed record, double z);
const void *fixture_echo_block(void);  // char *(char *)

// A dispatch source whose handler pointer libdispatch keeps.
void *fixture_source_create(const void *block);
void fixture_source_fire_and_wait(void *source, int *counter, int expected);
void fixture_source_cancel(void *source);
void fixture_dispatch_async_and_wait(const void *block);

// Bytes that malloc has given and not got back.
size_t fixture_heap_in_use(void);
// How many Swift objects, closures and boxes `body` allocates on this thread.
size_t fixture_allocations(void (*body)(void *context), void *context);
// How many instructions `body` takes on this thread, calls included; 0 where they cannot be counted.
size_t fixture_instructions(void (*body)(void *context), void *context);
// Runs `body`, and on the same thread `interrupt`: as soon as the thread has protected what the body enters
// first, and before it looks whether that is still to be entered. False where it cannot be interrupted.
bool fixture_interrupt_protection(void (*body)(void *context), void (*interrupt)(void *context),
                                    void *context);

// How many instructions were interrupted, and how often what a handler of a signal protected was not found.
struct fixture_steps {
  size_t count, unfound;
};
// Runs `body`, and after each of its instructions, as the handler of a signal, `interrupt`; on the thread's own
// stack or on one of the handler's. Nothing is run where instructions cannot be stepped through.
struct fixture_steps fixture_interrupt_everywhere(void (*body)(void *context),
                                                  void (*interrupt)(void *context), void *context,
                                                  bool has_own_stack);

// A record whose values are returned through memory.
struct fixture_five {
  long words[5];
};

// 8, unless the x87's registers are in use.
double fixture_use_x87(void);
// A function, long double (long), that doubles; and a call of such a function.
const void *fixture_doubled_code(void);
double fixture_call_doubled(const void *function, long value);

// A stack beside the thread's own, in the memory given. It runs `body` when it is resumed, until the
// body yields, which goes on where it was resumed; that returns false once the body is over.
struct fixture_stack;
struct fixture_stack *fixture_stack_create(void *memory, size_t size, void (*body)(void *argument),
                                           void *argument);
bool fixture_stack_resume(struct fixture_stack *stack);
void fixture_stack_yield(struct fixture_stack *stack);
void fixture_stack_destroy(struct fixture_stack *stack);

// Protects an address on the stack that this is called on, until the end; how often all threads do.
uintptr_t fixture_announce(uintptr_t what);
// Whether the next hazard pointer takes the place behind the last.
bool fixture_is_in_order(void);
void fixture_announcement_ends(uintptr_t place);
size_t fixture_announced(uintptr_t what);

// What a process can be made to lack. Each returns 0, or an error number.
int fixture_deny_write_and_execute(void);        // PR_SET_MDWE
int fixture_limit(int resource, unsigned long bytes_or_count);
// Runs `body` in a forked child; the child's exit status, or minus the signal that ended it.
int fixture_fork(int (*body)(void *context), void *context);
// Forks: 0 in the child, its identifier in the parent.
int fixture_fork_here(void);

// Calls a block, int (int), before each fork from now on.
void fixture_call_before_forks(const void *block);
// Forks on a new thread, and returns 7, which the child returns.
int fixture_fork_on_a_thread(void);
// Runs `body` on a new thread, and waits for the thread's end.
void fixture_on_a_thread(void (*body)(void));
// From now on the calling thread, and those it starts, may not use membarrier(2).
int fixture_deny_barriers(void);
// Writes a record of a trace's stream for a process, up to the finishing. NULL if it cannot.
void *fixture_begin_record(const char *path, int process, const void *bytes, unsigned long size);
void fixture_finish_record(void *body);
// Changes the stream of a path at random until the process is killed; often it appends the bytes, which are records.
void fixture_attack_stream(const char *path, const void *bytes, unsigned long size, uint64_t seed);
// Appends the bytes, which are records, without end.
void fixture_grow_stream(const char *path, const void *bytes, unsigned long size);
// Reserves all memory of a stream without end, and writes no record there.
void fixture_reserve_stream(const char *path);
// Forks a child that is the first process of a namespace of its own, and returns what `body` returns there; 77 if
// that is not permitted.
int fixture_fork_into_namespace(int (*body)(void *context), void *context);
// A clock that is computed from a counter, as traced calls compute theirs: the reading of both at once, and
// the time for a reading of the counter, if it can be told.
struct cbr_trace_line;
struct cbr_trace_line *fixture_new_trace_line(void);
void fixture_free_trace_line(struct cbr_trace_line *line);
uint64_t fixture_follow_clock(struct cbr_trace_line *line, uint64_t ticks, uint64_t now);
bool fixture_time_of_ticks(struct cbr_trace_line *line, uint64_t ticks, uint64_t *time);
bool fixture_is_unsteady(struct cbr_trace_line *line);
// Does to a line what a fork does to one that another thread is changing, before and after it.
void fixture_fork_in_change(struct cbr_trace_line *line);
// The time of traced calls, and whether it is computed from the processor's counter.
bool fixture_uses_counter(void);
uint64_t fixture_trace_time(void);
bool fixture_is_system_counter(const char *path);
const char *fixture_counter_name(void);
// Starts a process whose first thread has ended while another lives, for a minute; negative if not.
int fixture_leaderless_process(void);
// Takes all address space that is left for mappings, keeping about `headroom` bytes of heap.
int fixture_exhaust_mappings(unsigned long headroom);

// Blocks that implement a delegate's messages: arguments that spill to the stack.
struct fixture_spilled { double a; int b; const void *c; bool d, e; };
const void *fixture_ten_characters_block(void);  // long (10 signed char): a number of their digits
// struct fixture_spilled (8 signed char, struct fixture_spilled): with the sum of the characters in b
const void *fixture_spilled_block(void);

// Stops for a debugger, which reads the arguments in this function's frame.
void fixture_stop(const void *heap, const void *global, const void *closure, const void *capturing,
                  const void *watched, const void *invocation, const void *call,
                  const void *box, const void *page, const void *proxy);

// Calls a Swift method `(Bool) -> Bool` through its class's table, as Swift may: with anything in the
// upper bits of the flag's register. Returns all of the result's.
unsigned fixture_call_flag_method(const void *object, size_t slot, unsigned flag);

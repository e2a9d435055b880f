// The switch of a trace that begins idle: a word in a file that the collecting process and all
// programs map.
//
// A program's thread waits for a change of it, and holds nothing else: no file, no slot, no signal.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum cbr_trace_position { CBR_TRACE_IDLE, CBR_TRACE_ON, CBR_TRACE_FINISHING };

struct cbr_trace_switch;

// Makes the file and maps it. Returns 0 or an errno.
int cbr_trace_switch_create(const char *path,
                            struct cbr_trace_switch *_Nullable *_Nonnull result);

// Maps the file for a program, whose mapping and those of its forks keep a lock on it, as with
// streams. Returns 0 or an errno.
int cbr_trace_switch_open(const char *path, struct cbr_trace_switch *_Nullable *_Nonnull result);

void cbr_trace_switch_close(struct cbr_trace_switch *control);

// Turns the switch, and returns how many threads waited for that: the kernel counts them.
uint32_t cbr_trace_switch_turn(struct cbr_trace_switch *control, uint32_t position);

// How many programs did what was asked last.
uint32_t cbr_trace_switch_answers(const struct cbr_trace_switch *control);

// How many programs could not do it.
uint32_t cbr_trace_switch_failures(const struct cbr_trace_switch *control);

// How many programs and forks have ever begun to listen.
uint32_t cbr_trace_switch_listeners(const struct cbr_trace_switch *control);

// What the thread that listens calls.
struct cbr_trace_listener {
  const void *context;
  // Does what is asked, and returns whether it could; no fork interrupts it.
  bool (*turn)(const void *context, uint32_t position);
  // Whether somebody still collects the trace; asked each second while the program is traced.
  bool (*is_collected)(const void *context);
};

// Listens to the switch, once, in this process and its forks, on a thread of its own. Returns 0 or
// an errno.
int cbr_trace_listen(struct cbr_trace_switch *control, struct cbr_trace_listener listener);

#pragma clang assume_nonnull end

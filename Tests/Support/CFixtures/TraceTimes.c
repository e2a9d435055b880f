#include "CBRTraceTime.h"
#include "CFixtures.h"

#include <stdlib.h>

struct cbr_trace_line *fixture_new_trace_line(void) {
  return calloc(1, sizeof(struct cbr_trace_line));
}

void fixture_free_trace_line(struct cbr_trace_line *line) { free(line); }

uint64_t fixture_follow_clock(struct cbr_trace_line *line, uint64_t ticks, uint64_t now) {
  return cbr_trace_line_follow(line, ticks, now);
}

bool fixture_time_of_ticks(struct cbr_trace_line *line, uint64_t ticks, uint64_t *time) {
  return cbr_trace_line_at(line, ticks, time);
}

bool fixture_is_unsteady(struct cbr_trace_line *line) { return atomic_load(&line->is_unsteady); }

void fixture_fork_in_change(struct cbr_trace_line *line) {
  atomic_fetch_add(&line->version, 1);
  cbr_trace_line_reset(line);
}

bool fixture_uses_counter(void) { return cbr_trace_use_counter(); }

uint64_t fixture_trace_time(void) { return cbr_trace_time(); }

bool fixture_is_system_counter(const char *path) { return cbr_trace_is_system_counter(path); }

const char *fixture_counter_name(void) { return CBR_TRACE_COUNTER_NAME; }

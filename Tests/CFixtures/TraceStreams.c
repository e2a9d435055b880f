#include "CBRTraceStream.h"
#include "CFixtures.h"

int fixture_reserve_unfinished(const char *path, unsigned long size) {
  struct cbr_trace_stream stream;
  int error = cbr_trace_stream_open(&stream, path);
  if (error) return error;
  uint64_t place = 0;
  const void *body = cbr_trace_stream_reserve(&stream, size, true, &place);
  cbr_trace_stream_close(&stream);
  return body ? 0 : -1;
}

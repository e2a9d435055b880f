#include "CBRTraceStream.h"
#include "CFixtures.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

void *fixture_begin_record(const char *path, int process, const void *bytes, unsigned long size) {
  struct cbr_trace_stream stream;
  if (cbr_trace_stream_open(&stream, path)) return NULL;
  uint64_t place = 0;
  // The mapping stays: the record is finished later, or never.
  void *body = cbr_trace_stream_reserve(&stream, size, true, &place);
  if (!body) return NULL;
  memcpy(body, bytes, size);
  // The word before it has the process from bit 30, in 22 bits.
  uint64_t *word = (uint64_t *)body - 1;
  *word = (*word & ~((uint64_t)0x3FFFFF << 30)) | (uint64_t)process << 30;
  return body;
}

void fixture_finish_record(void *body) { cbr_trace_stream_commit(body); }

static void *wait_for_the_end(void *none) {
  (void)none;
  while (1) pause();
  return NULL;
}

int fixture_leaderless_process(void) {
  int child = fork();
  if (child != 0) return child;
  alarm(60);
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_for_the_end, NULL)) _exit(1);
  pthread_exit(NULL);
}

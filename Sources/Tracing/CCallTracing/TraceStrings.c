#include "CBRTraceStrings.h"

#include <string.h>

#include "CBRReadableMemory.h"

void cbr_trace_find_strings(struct cbr_trace_strings *strings, const void *words, uint8_t mask) {
  const void *const *word = words;
  for (; mask != 0 && strings->count < CBR_TRACE_STRINGS; mask >>= 1, word++) {
    if (!(mask & 1)) continue;
    bool is_terminated = false;
    size_t length =
        *word ? cbr_readable_string_length(*word, CBR_TRACE_STRING_LIMIT, &is_terminated) : 0;
    strings->places[strings->count] = *word;
    strings->notes[strings->count++] =
        (uint32_t)length | (is_terminated ? CBR_TRACE_IS_TERMINATED : 0);
    strings->size += sizeof(uint32_t) + (uint32_t)length;
  }
}

void *cbr_trace_copy_strings(const struct cbr_trace_strings *strings, void *target) {
  char *next = target;
  for (uint32_t index = 0; index < strings->count; index++) {
    uint32_t note = strings->notes[index], length = note & (CBR_TRACE_IS_TERMINATED - 1);
    memcpy(next, &note, sizeof note);
    memcpy(next + sizeof note, strings->places[index], length);
    next += sizeof note + length;
  }
  return next;
}

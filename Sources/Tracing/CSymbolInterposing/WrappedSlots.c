#define _GNU_SOURCE
#include "CBRWrappedSlots.h"

#include <stdlib.h>
#include <string.h>

#include "CBROwnCalls.h"
#include "SlotIndex.h"

static struct cbr_object *objects;
static size_t object_count;
static const void *dispatch_start, *dispatch_end, *calls_start, *calls_end;

bool cbr_has_wrapped_slots(void) { return object_count > 0; }

const struct cbr_object *cbr_wrapped_objects(size_t *count) {
  *count = object_count;
  return objects;
}

// Makes an object of the slots of an image: what the loader would have read from its file.
static bool fill(struct cbr_object *object, const struct cbr_wrapped_slot *slots, size_t count) {
  size_t size = 1;
  for (size_t index = 0; index < count; index++) size += strlen(slots[index].name) + 1;
  char *strings = calloc(size, 1);
  ElfW(Sym) *symbols = calloc(count + 1, sizeof *symbols);
  ElfW(Rela) *relocations = calloc(count, sizeof *relocations);
  if (!strings || !symbols || !relocations) return false;
  size_t next = 1, added = 0;
  for (size_t index = 0; index < count; index++) {
    if (!*slots[index].slot) continue;
    strcpy(strings + next, slots[index].name);
    symbols[added + 1] =
        (ElfW(Sym)){.st_name = (ElfW(Word))next, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)};
    relocations[added] = (ElfW(Rela)){.r_offset = (uintptr_t)slots[index].slot,
                                      .r_info = ELF64_R_INFO(added + 1, CBR_CALL_SLOT)};
    next += strlen(slots[index].name) + 1;
    added++;
  }
  *object = (struct cbr_object){
      .path = slots[0].image,
      .tables = {.strings = strings, .symbols = symbols, .relocations = {relocations}, .relocation_counts = {added}}};
  return true;
}

bool cbr_is_between_dispatch_functions(const void *code) {
  return dispatch_start && code >= dispatch_start && code < dispatch_end;
}

bool cbr_is_dispatch_call(const void *code) {
  return calls_start && code >= calls_start && (const char *)code < (const char *)calls_end + CBR_WRAPPED_CALL_SIZE;
}

static void widen(const void **start, const void **end, const void *function) {
  if (!*start || function < *start) *start = function;
  if (function > *end) *end = function;
}

// Leads the calls of a function of libdispatch to code that calls it.
static void lead_to_call(const struct cbr_wrapped_slot *slot) {
  if (!*slot->slot || !slot->call) return;
  widen(&dispatch_start, &dispatch_end, *slot->slot);
  widen(&calls_start, &calls_end, slot->call);
  __atomic_store_n(slot->slot, slot->call, __ATOMIC_RELEASE);
}

void cbr_add_wrapped_slots(const struct cbr_wrapped_slot *slots, size_t count) {
  OWN_CALLS;
  for (size_t index = 0; index < count; index++) lead_to_call(&slots[index]);
  objects = calloc(count, sizeof *objects);
  // Slots of an image stand together.
  for (size_t start = 0, end; objects && start < count; start = end) {
    end = start + 1;
    while (end < count && strcmp(slots[end].image, slots[start].image) == 0) end++;
    if (fill(&objects[object_count], &slots[start], end - start)) object_count++;
  }
}

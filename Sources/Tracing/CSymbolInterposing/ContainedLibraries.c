#include "CBRContainedLibraries.h"

#include <stdbool.h>
#include <string.h>

#include "CBRImages.h"
#include "CBROwnCalls.h"
#include "CBRSymbols.h"
#include "CBRWrappedSlots.h"

enum { OWN_LIMIT = 64 };
static const char *own_symbols[OWN_LIMIT];
static size_t own_count;

void cbr_add_own_symbols(const char *beginning) {
  if (own_count < OWN_LIMIT) own_symbols[own_count++] = beginning;
}

static const struct {
  const char *beginning, *library;
} parts[] = {
    {"cbr_", "libBlockTracer.so"},
    {"_dispatch_", "libdispatch.so"},
    {"__dispatch_", "libdispatch.so"},
    {"___dispatch_", "libdispatch.so"},
    {"dispatch_", "libdispatch.so"},
    {"_Block_", "libBlocksRuntime.so"},
    {"$s8Dispatch", "libswiftDispatch.so"},
    {"$s10Foundation", "libFoundation.so"},
    {"$s20FoundationEssentials", "libFoundationEssentials.so"},
    {"$s28FoundationInternationalization", "libFoundationInternationalization.so"},
    {"$ss", "libswiftCore.so"},
    {"$s12_Concurrency", "libswift_Concurrency.so"},
    {"_ZL15__swift_run_job", "libswift_Concurrency.so"},
    {"_ZN5swift", "libswift_Concurrency.so"},
    {"swift_", "libswift_Concurrency.so"},
    {"_swift_", "libswift_Concurrency.so"},
};

struct search {
  const char *library;
  bool has_name;
};

static bool begins(const struct cbr_symbol *symbol, const char *beginning) {
  size_t length = strlen(beginning);
  return symbol->name_length >= length && memcmp(symbol->name, beginning, length) == 0;
}

static void compare(const struct cbr_symbol *symbol, void *context) {
  struct search *search = context;
  search->has_name = symbol->name;
  if (!symbol->name) return;
  for (size_t index = 0; index < own_count; index++)
    if (begins(symbol, own_symbols[index])) search->library = "libBlockTracer.so";
  for (size_t index = 0; !search->library && index < sizeof parts / sizeof *parts; index++)
    if (begins(symbol, parts[index].beginning)) search->library = parts[index].library;
}

const char *cbr_library_of(const void *code) {
  OWN_CALLS;
  const char *path = cbr_image_of(code);
  if (!path || *path || !cbr_has_wrapped_slots()) return path;
  if (cbr_is_dispatch_call(code)) return "libdispatch.so";
  struct search search = {0};
  cbr_visit_symbol(code, compare, &search);
  if (search.library) return search.library;
  return !search.has_name && cbr_is_between_dispatch_functions(code) ? "libdispatch.so" : path;
}

#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>

#include "CBRImportSlots.h"
#include "CBROwnCalls.h"

struct locked {
  void *context;
  void (*body)(void *context, struct cbr_load_counts counts);
};

static int run_locked(struct dl_phdr_info *info, size_t size, void *context) {
  struct locked *locked = context;
  locked->body(locked->context, (struct cbr_load_counts){info->dlpi_adds, info->dlpi_subs});
  return 1;
}

void cbr_with_loaded_objects(void *context,
                             void (*body)(void *context, struct cbr_load_counts counts)) {
  OWN_CALLS;
  struct locked locked = {context, body};
  dl_iterate_phdr(run_locked, &locked);
}

static int find_interpreter(struct dl_phdr_info *info, size_t size, void *context) {
  for (size_t index = 0; index < info->dlpi_phnum; index++)
    if (info->dlpi_phdr[index].p_type == PT_INTERP) *(bool *)context = true;
  // The program comes first.
  return 1;
}

bool cbr_is_static_program(void) {
  OWN_CALLS;
  bool has_interpreter = false;
  dl_iterate_phdr(find_interpreter, &has_interpreter);
  return !has_interpreter;
}

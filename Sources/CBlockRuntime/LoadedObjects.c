#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>

#include "CBRImportSlots.h"
#include "OwnCalls.h"

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
  // The program is the first.
  return 1;
}

bool cbr_is_static_program(void) {
  OWN_CALLS;
  bool has_interpreter = false;
  dl_iterate_phdr(find_interpreter, &has_interpreter);
  return !has_interpreter;
}

#if defined(__x86_64__)
void *cbr_call_through(const char *path, int mode, const void *function, const void *gate);

static const void *original;
static void (*told)(bool is_passing);

struct search {
  uintptr_t caller;
  const void *gate;
  uint64_t load_count;
};

// Finds a `ret` instruction, or a byte that is one, in the code that holds an address.
static int find_gate(struct dl_phdr_info *info, size_t size, void *context) {
  struct search *search = context;
  search->load_count = info->dlpi_adds;
  for (size_t index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    uintptr_t start = info->dlpi_addr + header->p_vaddr;
    uintptr_t end = start + header->p_memsz;
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    if (search->caller < start || search->caller >= end) continue;
    for (const unsigned char *byte = (const unsigned char *)search->caller;
         byte < (const unsigned char *)end; byte++)
      if (*byte == 0xC3) {
        search->gate = byte;
        break;
      }
    return 1;
  }
  return 0;
}

static int read_load_count(struct dl_phdr_info *info, size_t size, void *count) {
  *(uint64_t *)count = info->dlpi_adds;
  return 1;
}

static uint64_t count_loads(void) {
  OWN_CALLS;
  uint64_t count = 0;
  dl_iterate_phdr(read_load_count, &count);
  return count;
}

static struct search search_gate(const void *caller) {
  OWN_CALLS;
  struct search search = {.caller = (uintptr_t)caller};
  dl_iterate_phdr(find_gate, &search);
  return search;
}

// `dlopen` reads its return address: an object's search paths are those of the one that calls.
static void *follow(const char *path, int mode) {
  struct search search = search_gate(__builtin_return_address(0));
  void *object = search.gate ? cbr_call_through(path, mode, original, search.gate)
                             : ((void *(*)(const char *, int))original)(path, mode);
  // What is there already is opened under locks of the library's, too.
  if (object && count_loads() != search.load_count) told(cbr_interposing.passes != 0);
  return object;
}

const void *cbr_follow_loading(const void *dlopen, void (*loaded)(bool is_passing)) {
  original = dlopen;
  told = loaded;
  return (const void *)follow;
}
#else
const void *cbr_follow_loading(const void *dlopen, void (*loaded)(bool is_passing)) { return NULL; }
#endif

// The replacement of `dlopen` that reports new objects. See CBRImportSlots.h.
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>

#include "CBRCallMemory.h"
#include "CBRImportSlots.h"
#include "CBROwnCalls.h"
#include "ReturnGates.h"

#if CBR_HAS_CALL_PLANS

static const void *original;
static void (*report_unload_count)(uint64_t count);
static void (*report_loading)(bool is_ignored);

// The gate to which the thread's innermost load returns.
static _Thread_local const void *gate_of_load __attribute__((tls_model("initial-exec")));

const void *cbr_gate_of_load(void) { return gate_of_load; }

struct search {
  uintptr_t caller;
  bool has_gate;
  struct cbr_gate gate;
  struct cbr_load_counts counts;
};

// Finds a gate in the code that holds an address.
static int find_gate(struct dl_phdr_info *info, size_t size, void *context) {
  struct search *search = context;
  search->counts = (struct cbr_load_counts){info->dlpi_adds, info->dlpi_subs};
  for (size_t index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    uintptr_t start = info->dlpi_addr + header->p_vaddr;
    uintptr_t end = start + header->p_memsz;
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    if (search->caller < start || search->caller >= end) continue;
    search->has_gate = cbr_find_gate((const unsigned char *)search->caller, (const unsigned char *)end,
                                     &search->gate);
    return 1;
  }
  return 0;
}

static void read_counts(void *context, struct cbr_load_counts counts) {
  *(struct cbr_load_counts *)context = counts;
}

static struct search search_gate(const void *caller) {
  OWN_CALLS;
  struct search search = {.caller = (uintptr_t)caller};
  dl_iterate_phdr(find_gate, &search);
  return search;
}

static void *load_through(const char *path, int mode, const struct cbr_gate *gate) {
  const void *outer = gate_of_load;
  gate_of_load = gate->code;
  void *object = cbr_call_through(path, mode, original, gate);
  gate_of_load = outer;
  return object;
}

// `dlopen` reads its return address: the search paths are those of the calling object.
static void *replaced_dlopen(const char *path, int mode) {
  struct search search = search_gate(__builtin_return_address(0));
  // Loading may reuse the addresses of unloaded libraries, so these are forgotten first.
  report_unload_count(search.counts.unloaded);
  void *object = search.has_gate ? load_through(path, mode, &search.gate)
                                 : ((void *(*)(const char *, int))original)(path, mode);
  struct cbr_load_counts counts = search.counts;
  cbr_with_loaded_objects(&counts, read_counts);
  report_unload_count(counts.unloaded);
  // An object that is loaded already may be opened while the library holds locks, so only new ones
  // are reported.
  if (object && counts.loaded != search.counts.loaded)
    report_loading(cbr_reentrancy.ignored != 0);
  return object;
}

const void *cbr_follow_loading(const void *dlopen, void (*unloaded)(uint64_t count),
                               void (*loaded)(bool is_ignored)) {
  original = dlopen;
  report_unload_count = unloaded;
  report_loading = loaded;
  return (const void *)replaced_dlopen;
}
#else
const void *cbr_gate_of_load(void) { return NULL; }

const void *cbr_follow_loading(const void *dlopen, void (*unloaded)(uint64_t count),
                               void (*loaded)(bool is_ignored)) {
  return NULL;
}
#endif

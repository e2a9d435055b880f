#define _GNU_SOURCE
#include "SearchScopes.h"

#include <stdint.h>
#include <sys/auxv.h>

#include "CBROwnCalls.h"

// glibc's entry of an object goes on behind its public members, with words whose places are not
// part of its interface. Among them are a list of objects, which are those that belong to this one;
// later the scope, which is an array of addresses of lists, ended by NULL; and then the scope's
// address. Lists of the program, of the object's group, of `RTLD_DEEPBIND` and of DT_SYMBOLIC are
// in it in the order in which they are searched.
//
// The places are told by the program's own entry: its scope begins with its own list, whose first
// object is the program, and all of them lie in the entry.
struct list {
  struct link_map *const *objects;
  unsigned count;
};

enum { FIRST_WORD = sizeof(struct link_map) / sizeof(uintptr_t), WORD_COUNT = 144 };

// The index of the word of an entry that an address refers to, 0 if it is none of the private ones.
static size_t word_at(const uintptr_t *words, uintptr_t address) {
  size_t distance = address - (uintptr_t)words;
  size_t word = distance / sizeof *words;
  return distance % sizeof *words == 0 && word >= FIRST_WORD && word < WORD_COUNT ? word : 0;
}

// The word that holds the address of an object's scope, 0 if the loader is not known.
static size_t scope_word(const struct link_map *program) {
  const uintptr_t *words = (const uintptr_t *)program;
  for (size_t word = FIRST_WORD; word < WORD_COUNT; word++) {
    size_t scope = word_at(words, words[word]);
    size_t own = scope && scope < word ? word_at(words, words[scope]) : 0;
    if (!own || own >= scope) continue;
    const struct list *list = (const struct list *)&words[own];
    if (list->objects && list->count > 0 && list->objects[0] == program) return word;
  }
  return 0;
}

// An object may be about to be removed from the list.
static bool is_loaded(const struct link_map *program, const struct link_map *object) {
  const struct link_map *loaded = program;
  while (loaded && loaded != object) loaded = loaded->l_next;
  return loaded;
}

struct visit {
  const struct link_map *program;
  void *context;
  bool (*visit)(void *context, const struct link_map *object);
};

// The lock that is held does not keep other threads from replacing scopes and lists, whose memory
// is free then, so each element counts only if what it was read from is still in its place. Entries
// stay, and so do lists, as that lock is taken before they are freed; nor can such threads go on
// for ever without it. Sanitizers would report what is read in vain.
enum outcome { IS_MISSING, IS_FOUND, IS_REPLACED };
#define MAY_READ_IN_VAIN __attribute__((no_sanitize("address", "thread")))

MAY_READ_IN_VAIN
static enum outcome visit_list(const struct visit *visit, const struct list *list) {
  // The loader may append to the list meanwhile, and then gives the longer one before its length.
  unsigned count = __atomic_load_n(&list->count, __ATOMIC_ACQUIRE);
  struct link_map *const *objects = __atomic_load_n(&list->objects, __ATOMIC_RELAXED);
  for (unsigned index = 0; index < count; index++) {
    const struct link_map *object = __atomic_load_n(&objects[index], __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&list->objects, __ATOMIC_RELAXED) != objects) return IS_REPLACED;
    if (is_loaded(visit->program, object) && visit->visit(visit->context, object)) return IS_FOUND;
  }
  return IS_MISSING;
}

MAY_READ_IN_VAIN
static enum outcome visit_lists(const struct visit *visit,
                                const struct list *const *const *place) {
  const struct list *const *scope = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  for (size_t index = 0;; index++) {
    const struct list *list = __atomic_load_n(&scope[index], __ATOMIC_ACQUIRE);
    if (__atomic_load_n(place, __ATOMIC_RELAXED) != scope) return IS_REPLACED;
    enum outcome outcome = list ? visit_list(visit, list) : IS_MISSING;
    if (!list || outcome != IS_MISSING) return outcome;
  }
}

// The dynamic section of the kernel's own object, which is mapped as one file; 0 without one. An
// emulator's object lies at its own addresses, so that its entry in the list begins at 0.
static uintptr_t kernels_section(void) {
  OWN_CALLS;
  uintptr_t kernel = getauxval(AT_SYSINFO_EHDR);
  if (!kernel) return 0;
  const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)kernel;
  const ElfW(Phdr) *segment = (const ElfW(Phdr) *)(kernel + head->e_phoff);
  for (unsigned index = 0; index < head->e_phnum; index++)
    if (segment[index].p_type == PT_DYNAMIC) return kernel + segment[index].p_offset;
  return 0;
}

bool cbr_visit_scope(const struct link_map *program, const struct link_map *object, void *context,
                     bool (*visit)(void *context, const struct link_map *object)) {
  size_t word = scope_word(program);
  if (!word) {
    // The kernel's own object is in no scope.
    uintptr_t kernels = kernels_section();
    for (object = program; object; object = object->l_next)
      if ((uintptr_t)object->l_ld != kernels && visit(context, object)) return true;
    return false;
  }
  struct visit arguments = {program, context, visit};
  enum outcome outcome = IS_REPLACED;
  while (outcome == IS_REPLACED)
    outcome = visit_lists(&arguments, &((const struct list *const *const *)object)[word]);
  return outcome == IS_FOUND;
}

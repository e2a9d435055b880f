#include "CBRCallerImages.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "CBRAddressTable.h"
#include "CBRContainedLibraries.h"
#include "CBROwnCalls.h"

struct pattern {
  struct pattern *next;
  bool is_left_out;
  char text[];
};

struct cbr_caller_images {
  // For return addresses, twice the loads at which they were looked up, plus 2, plus 1 if they are
  // admitted.
  struct cbr_address_table *known;
  struct pattern *patterns;
  char *program, *left_out;
  bool selects_all;
};

void cbr_caller_images_free(struct cbr_caller_images *images) {
  if (!images) return;
  OWN_CALLS;
  for (struct pattern *pattern = images->patterns, *next; pattern; pattern = next) {
    next = pattern->next;
    free(pattern);
  }
  cbr_address_table_free(images->known);
  free(images->program);
  free(images->left_out);
  free(images);
}

struct cbr_caller_images *cbr_caller_images_create(const char *program, const char *left_out) {
  OWN_CALLS;
  struct cbr_caller_images *images = calloc(1, sizeof *images);
  if (!images) return NULL;
  images->selects_all = true;
  images->known = cbr_address_table_create(12);
  images->program = strdup(program);
  images->left_out = left_out ? strdup(left_out) : NULL;
  if (images->known && images->program && (images->left_out || !left_out)) return images;
  cbr_caller_images_free(images);
  return NULL;
}

bool cbr_caller_images_add(struct cbr_caller_images *images, const char *text, bool is_left_out) {
  OWN_CALLS;
  size_t size = strlen(text) + 1;
  struct pattern *pattern = malloc(sizeof *pattern + size);
  if (!pattern) return false;
  pattern->next = images->patterns;
  pattern->is_left_out = is_left_out;
  memcpy(pattern->text, text, size);
  images->patterns = pattern;
  if (!is_left_out) images->selects_all = false;
  return true;
}

static bool admits(const struct cbr_caller_images *images, const char *path) {
  if (images->left_out && strcmp(path, images->left_out) == 0) return false;
  const char *slash = strrchr(path, '/'), *file = slash && slash[1] ? slash + 1 : path;
  bool is_selected = images->selects_all;
  for (const struct pattern *pattern = images->patterns; pattern; pattern = pattern->next) {
    if (is_selected && !pattern->is_left_out) continue;
    if (fnmatch(pattern->text, path, 0) != 0 && fnmatch(pattern->text, file, 0) != 0) continue;
    if (pattern->is_left_out) return false;
    is_selected = true;
  }
  return is_selected;
}

bool cbr_caller_images_admit(struct cbr_caller_images *images, const void *caller, uint64_t loads) {
  uint64_t known = cbr_address_word(images->known, (uintptr_t)caller);
  if (known / 2 == loads + 1) return known & 1;
  OWN_CALLS;
  // A call may be the last instruction of its function.
  const char *path = cbr_library_of((const char *)caller - 1);
  bool is_admitted = path && admits(images, *path ? path : images->program);
  cbr_address_store(images->known, (uintptr_t)caller, (loads + 1) * 2 + is_admitted);
  return is_admitted;
}

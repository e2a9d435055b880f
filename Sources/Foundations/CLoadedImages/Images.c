#define _GNU_SOURCE
#include "CBRImages.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "CBROwnCalls.h"

static void describe(const struct link_map *map, const void *start, struct cbr_image *image) {
  *image = (struct cbr_image){.base = map->l_addr,
                              .start = (uintptr_t)start,
                              .path = map->l_name ? map->l_name : "",
                              .dynamic = map->l_ld};
}

// The look-up that takes no lock, where the C library has one.
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
#pragma weak _dl_find_object
static bool can_find_without_lock(void) { return _dl_find_object != NULL; }

static bool find_without_lock(const void *address, struct cbr_image *image) {
  struct dl_find_object found;
  if (_dl_find_object((void *)address, &found) != 0) return false;
  describe(found.dlfo_link_map, found.dlfo_map_start, image);
  return true;
}
#else
static bool can_find_without_lock(void) { return false; }
static bool find_without_lock(const void *address, struct cbr_image *image) { return false; }
#endif

bool cbr_find_image(const void *address, struct cbr_image *image) {
  OWN_CALLS;
  if (can_find_without_lock()) return find_without_lock(address, image);
  Dl_info info;
  struct link_map *map = NULL;
  if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return false;
  describe(map, info.dli_fbase, image);
  return true;
}

const char *cbr_image_of(const void *address) {
  struct cbr_image image;
  return cbr_find_image(address, &image) ? image.path : NULL;
}

const void *cbr_start_of_image(const void *address) {
  struct cbr_image image;
  return cbr_find_image(address, &image) ? (const void *)image.start : NULL;
}

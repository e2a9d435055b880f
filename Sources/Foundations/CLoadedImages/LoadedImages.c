#define _GNU_SOURCE
#include "CBRLoadedImages.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "CBROwnCalls.h"

void *cbr_keep_image(const void *address) {
  OWN_CALLS;
  Dl_info info;
  struct link_map *map = NULL;
  Lmid_t namespace;
  // The program, whose name is empty, is never unloaded.
  if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_name[0])
    return NULL;
  if (dlinfo(map, RTLD_DI_LMID, &namespace) != 0) return NULL;
  void *image = dlmopen(namespace, map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (image == map) return image;
  if (image) dlclose(image);
  return NULL;
}

// Outside of `OWN_CALLS`: if this was the last reference, the library's destructors run here.
void cbr_give_up_image(void *image) { dlclose(image); }

static int read_count(struct dl_phdr_info *info, size_t size, void *count) {
  *(uint64_t *)count = info->dlpi_subs;
  return 1;
}

uint64_t cbr_unload_count(void) {
  OWN_CALLS;
  uint64_t count = 0;
  dl_iterate_phdr(read_count, &count);
  return count;
}

#include "CDemoBlocks.h"

#include <stdio.h>

bool cdemo_is_writable(const void *address) {
  FILE *maps = fopen("/proc/self/maps", "re");
  if (!maps) return false;
  char line[4096];
  bool writable = false;
  while (fgets(line, sizeof line, maps)) {
    uintptr_t start, end;
    char mode[5];
    if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) != 3) continue;
    if ((uintptr_t)address < start || (uintptr_t)address >= end) continue;
    writable = mode[1] == 'w';
    break;
  }
  fclose(maps);
  return writable;
}

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CBROwnCalls.h"
#include "SymbolFiles.h"

// The path in a line of /proc/self/maps, if the line's range holds an address; else NULL.
static const char *path_in_line(const char *line, uintptr_t address) {
  char *rest;
  uintptr_t first = strtoul(line, &rest, 16);
  uintptr_t end = *rest == '-' ? strtoul(rest + 1, NULL, 16) : 0;
  return first <= address && address < end ? strchr(line, '/') : NULL;
}

// The path in the line for an address; `memory` holds the part of the lines that has been read.
static const char *path_in_lines(int maps, uintptr_t address, char *memory, size_t size) {
  size_t filled = 0;
  ssize_t count;
  while ((count = read(maps, memory + filled, size - filled)) > 0) {
    filled += (size_t)count;
    char *line = memory, *end;
    for (; (end = memchr(line, '\n', filled - (size_t)(line - memory))); line = end + 1) {
      *end = 0;
      const char *path = path_in_line(line, address);
      if (path) return path;
    }
    filled -= (size_t)(line - memory);
    memmove(memory, line, filled);
  }
  return NULL;
}

const char *cbr_file_path(const struct cbr_image *image, char *memory, size_t size) {
  OWN_CALLS;
  if (image->path[0] == '/') return image->path;
  // The loader has no path of the program, whose argv[0] may be no path, or another program's.
  if (!image->path[0]) return "/proc/self/exe";
  // The path is relative; the kernel has all of it, whatever the working directory is now.
  int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return "";
  const char *path = path_in_lines(maps, image->start, memory, size);
  close(maps);
  return path ? path : "";
}

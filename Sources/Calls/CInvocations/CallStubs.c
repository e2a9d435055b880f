#define _GNU_SOURCE
#include "CBRCallMemory.h"
#include "CBRCallStubs.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CBROwnCalls.h"

#if CBR_HAS_CALL_PLANS

// The code is written to a file in memory, which is then mapped executable and closed: no page is
// ever both writable and executable, and forked children share no page that is written.
static int make_code_file(void) {
  // Static, because the stack may not be able to grow if memory is short; no two threads map slabs
  // at once.
  static unsigned char code[4096];
  for (size_t offset = 0; offset < sizeof code; offset += sizeof cbr_stub)
    memcpy(code + offset, cbr_stub, sizeof cbr_stub);
  int file = memfd_create("block-runtime-stubs", MFD_CLOEXEC);
  if (file < 0) return -1;
  for (size_t size = 0; size < CBR_STUB_SLAB; size += sizeof code)
    if (write(file, code, sizeof code) != (ssize_t)sizeof code) {
      close(file);
      return -1;
    }
  return file;
}

void *cbr_stubs_map(void) {
  OWN_CALLS;
  int file = make_code_file();
  if (file < 0) return NULL;
  void *slab = mmap(NULL, 2 * CBR_STUB_SLAB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                    -1, 0);
  if (slab != MAP_FAILED && mmap(slab, CBR_STUB_SLAB, PROT_READ | PROT_EXEC,
                                 MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED) {
    munmap(slab, 2 * CBR_STUB_SLAB);
    slab = MAP_FAILED;
  }
  close(file);
  if (slab == MAP_FAILED) return NULL;
  // Code that was written through the file may not have reached the instruction cache.
  __builtin___clear_cache(slab, (char *)slab + CBR_STUB_SLAB);
  return slab;
}
#else
void *cbr_stubs_map(void) { return NULL; }
#endif

#if defined(__x86_64__)
#define _GNU_SOURCE
#include "CBRCallStubs.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CBROwnCalls.h"

// All stubs have the same code, because the address of a stub's entry is CBR_STUB_SLAB bytes after the stub.
static const unsigned char stub[CBR_STUB_SIZE] = {
    0xF3, 0x0F, 0x1E, 0xFA,                        // endbr64
    0x4C, 0x8B, 0x1D, (CBR_STUB_SLAB - 11) & 0xFF, // mov CBR_STUB_SLAB-11(%rip), %r11
    (CBR_STUB_SLAB - 11) >> 8 & 0xFF, (CBR_STUB_SLAB - 11) >> 16 & 0xFF,
    (CBR_STUB_SLAB - 11) >> 24 & 0xFF,             //
    0x41, 0xFF, 0x23,                              // jmp *(%r11)
    0xCC, 0xCC,
};

// The code is written to a file in memory, which is then mapped executable and closed: no page is ever both
// writable and executable, and forked children share no page that is written.
static int make_code_file(void) {
  // Static, because the stack may not be able to grow if memory is short; no two threads map slabs at once.
  static unsigned char code[4096];
  for (size_t offset = 0; offset < sizeof code; offset += sizeof stub)
    memcpy(code + offset, stub, sizeof stub);
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
  return slab == MAP_FAILED ? NULL : slab;
}

#endif

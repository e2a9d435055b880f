// Stubs: the code of function pointers, a few instructions that jump where an entry says
// (CBRCallEntry.h).
//
// A slab has two halves: the first, which is readable and executable, holds the stubs; the second,
// which is writable, holds for each stub the address of its entry.
#pragma once

// Bytes of one stub.
#define CBR_STUB_SIZE 16
// The size of each half of a slab, and so the distance from a stub to the address of its entry.
#define CBR_STUB_SLAB 65536

// The processor's code of every stub: the address of a stub's entry is CBR_STUB_SLAB bytes after
// the stub. It loads the entry's address into r11 (x86-64) or x17 (AArch64), and jumps to the
// address in the entry's first word.
extern const unsigned char cbr_stub[CBR_STUB_SIZE] __attribute__((visibility("hidden")));

// Maps a slab, which stays mapped; NULL if the system or the platform allows none. The function
// must not run on two threads at once.
void *cbr_stubs_map(void);

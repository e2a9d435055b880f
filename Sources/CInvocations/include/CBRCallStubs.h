// Stubs: the code of function pointers, a few instructions that lead to an entry (CBRCallEntry.h).
//
// A slab holds stubs in its first half, which can be read and executed, and in its second half,
// which can be written, each stub's word: the address of its entry.
#pragma once

// Bytes of one stub.
#define CBR_STUB_SIZE 16
// Bytes of stubs in a slab; a stub's word lies as far behind its code.
#define CBR_STUB_SLAB 65536

// Maps a slab, which stays mapped, and must not be called twice at once; NULL where the system or the platform allows none.
void *cbr_stubs_map(void);

#if defined(__x86_64__)
#include "CBRCallStubs.h"

const unsigned char cbr_stub[CBR_STUB_SIZE] = {
    0xF3, 0x0F, 0x1E, 0xFA,                        // endbr64
    0x4C, 0x8B, 0x1D, (CBR_STUB_SLAB - 11) & 0xFF, // mov CBR_STUB_SLAB-11(%rip), %r11
    (CBR_STUB_SLAB - 11) >> 8 & 0xFF, (CBR_STUB_SLAB - 11) >> 16 & 0xFF,
    (CBR_STUB_SLAB - 11) >> 24 & 0xFF,             //
    0x41, 0xFF, 0x23,                              // jmp *(%r11)
    0xCC, 0xCC,
};
#endif

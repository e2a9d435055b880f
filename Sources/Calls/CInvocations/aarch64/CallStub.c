#if defined(__aarch64__)
#include "CBRCallStubs.h"

// An instruction, lowest byte first.
#define CODE(word) (word) & 0xFF, (word) >> 8 & 0xFF, (word) >> 16 & 0xFF, (word) >> 24 & 0xFF

// The distance of a load counts words from the load, which is the second instruction.
#define DISTANCE ((CBR_STUB_SLAB - 4) / 4)

// The jump is through x16, which a landing pad for calls (`bti c`) accepts.
const unsigned char cbr_stub[CBR_STUB_SIZE] = {
    CODE(0xD503245Fu),                  // bti c
    CODE(0x58000011u | DISTANCE << 5),  // ldr x17, CBR_STUB_SLAB-4
    CODE(0xF9400230u),                  // ldr x16, [x17]
    CODE(0xD61F0200u),                  // br x16
};
#endif

#include "CFixtures.h"

__attribute__((noinline)) void fixture_stop(const void *heap, const void *global,
                                            const void *closure, const void *capturing,
                                            const void *watched, const void *invocation,
                                            const void *call, const void *box) {
  // Whatever is optimised, the arguments are somewhere while it stops.
  __asm__ volatile("int3"
                   :
                   : "r"(heap), "r"(global), "r"(closure), "r"(capturing), "r"(watched),
                     "r"(invocation), "r"(call), "r"(box)
                   : "memory");
}

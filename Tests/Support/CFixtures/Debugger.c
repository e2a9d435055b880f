#include "CFixtures.h"

__attribute__((noinline)) void fixture_stop(const void *heap, const void *global,
                                            const void *closure, const void *capturing,
                                            const void *watched, const void *invocation,
                                            const void *call, const void *box, const void *page,
                                            const void *proxy) {
  // Whatever is optimised, the arguments are somewhere while it stops.
#if defined(__aarch64__)
#define BREAKPOINT "brk #0xf000"
#else
#define BREAKPOINT "int3"
#endif
  __asm__ volatile(BREAKPOINT
                   :
                   : "r"(heap), "r"(global), "r"(closure), "r"(capturing), "r"(watched),
                     "r"(invocation), "r"(call), "r"(box), "r"(page), "r"(proxy)
                   : "memory");
}

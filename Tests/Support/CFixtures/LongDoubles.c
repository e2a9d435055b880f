#include "CFixtures.h"

double fixture_use_x87(void) {
#if defined(__x86_64__)
  double sum;
  // All eight registers; one that is taken gives no number.
  __asm__ volatile("fld1\nfld1\nfld1\nfld1\nfld1\nfld1\nfld1\nfld1\n"
                   "faddp\nfaddp\nfaddp\nfaddp\nfaddp\nfaddp\nfaddp\nfstpl %0"
                   : "=m"(sum)
                   :
                   : "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)");
  return sum;
#else
  return 8;
#endif
}

static long double doubled(long value) { return 2 * (long double)value; }
const void *fixture_doubled_code(void) { return (const void *)doubled; }

double fixture_call_doubled(const void *function, long value) {
  return (double)((long double (*)(long))function)(value);
}

#include "CBRBlockLiteral.h"
#include "CFixtures.h"

// Records of an integer and a floating half, behind five integers and some floating arguments: the
// first half goes to the last integer register.
double fixture_last_register(long a, long b, long c, long d, double x, double y, long e,
                             struct fixture_mixed record, double z) {
  return a + 2 * b + 3 * c + 4 * d + 5 * x + 6 * y + 7 * e + 8 * record.a + 9 * record.b + 10 * z;
}
double fixture_past_the_last_register(long a, long b, long c, long d, long e, long f, double x,
                                      struct fixture_mixed record, double z) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * x + 8 * record.a + 9 * record.b + 10 * z;
}

const void *fixture_echo_block(void) {
  int extra = 0;
  return _Block_copy((const void *)^char *(char *text) {
    return text + extra;
  });
}

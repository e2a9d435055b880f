#include "CFixtures.h"

const void *fixture_ten_characters_block(void) {
  return ^long(signed char a, signed char b, signed char c, signed char d, signed char e,
              signed char f, signed char g, signed char h, signed char i, signed char j) {
    const signed char digits[] = {a, b, c, d, e, f, g, h, i, j};
    long number = 0;
    for (int index = 0; index < 10; ++index) number = number * 10 + digits[index];
    return number;
  };
}

const void *fixture_spilled_block(void) {
  return ^struct fixture_spilled(signed char a, signed char b, signed char c, signed char d,
                                 signed char e, signed char f, signed char g, signed char h,
                                 struct fixture_spilled value) {
    value.b += a + b + c + d + e + f + g + h;
    return value;
  };
}

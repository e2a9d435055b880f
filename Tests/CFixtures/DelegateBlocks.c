#include "CFixtures.h"

const void *fixture_ten_characters_block(void) {
  return ^long(char a, char b, char c, char d, char e, char f, char g, char h, char i, char j) {
    const char digits[] = {a, b, c, d, e, f, g, h, i, j};
    long number = 0;
    for (int index = 0; index < 10; ++index) number = number * 10 + digits[index];
    return number;
  };
}

const void *fixture_spilled_block(void) {
  return ^struct fixture_spilled(char a, char b, char c, char d, char e, char f, char g, char h,
                                 struct fixture_spilled value) {
    value.b += a + b + c + d + e + f + g + h;
    return value;
  };
}

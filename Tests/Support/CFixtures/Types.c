#include <complex.h>
#include <string.h>

#include "CBRBlockLiteral.h"
#include "CFixtures.h"

// Rows: name, type, sample, equality of a and b.
struct c1 { char a; };
struct s3 { char a, b, c; };
struct i2 { int a, b; };
struct id { int a; double b; };
struct di { double a; int b; };
struct dd { double a, b; };
struct ff { float a, b; };
struct fff { float a, b, c; };
struct fi { float a; int b; };
struct ffd { float a, b; double c; };
struct ll { long a, b; };
struct lll { long a, b, c; };
struct nested { struct fi a; struct { char c; double d; } b; };
struct arr { short a[5]; };
struct arr2 { struct ff a[2]; };
struct farr { float a[4]; };
struct big { long a[9]; };
struct cstr { const char *a; int b; };
struct ld { long double a; };
struct ldi { long double a; int b; };
struct cf { _Complex float a; };
struct i128 { __int128 a; };
struct bits { int a : 3; unsigned b : 20; long c : 40; };
struct bits2 { char c; int b : 3; };
struct empty_inside { int a; struct {} e; float b; };
struct odd { char a[11]; };
union u_if { int a; float b; };
union u_df { double a; float b; };
union u_ld { long a; double b; };
union u_big { char a[24]; double b; };
union u_x87 { long double a; int b; };
union u_torn { char c; long l[2]; union { int a; long double b; } u; };
struct with_union { int tag; union u_if u; double d; };
enum colour { red, green = 70000 };

// A number that no double has, where Swift has a type for it.
#ifdef __x86_64__
#define LARGE 1e4000L
#else
#define LARGE ((long double)0x1p1000)
#endif

#define TYPES(ROW)                                                                       \
  ROW(bool_, bool, true, a == b)                                                         \
  ROW(char_, char, -5, a == b)                                                           \
  ROW(uchar, unsigned char, 250, a == b)                                                 \
  ROW(short_, short, -30000, a == b)                                                     \
  ROW(ushort, unsigned short, 60000, a == b)                                             \
  ROW(int_, int, -2000000000, a == b)                                                    \
  ROW(uint, unsigned, 4000000000u, a == b)                                               \
  ROW(long_, long, -5000000000000L, a == b)                                              \
  ROW(ulong, unsigned long, 18000000000000000000ul, a == b)                              \
  ROW(float_, float, 1.25f, a == b)                                                      \
  ROW(double_, double, -1e300, a == b)                                                   \
  ROW(long_double, long double, 1.25L * LARGE, a == b)                                    \
  ROW(int128, __int128, ((__int128)-3 * ((__int128)1 << 70)), a == b)                                    \
  ROW(uint128, unsigned __int128, ((unsigned __int128)5 << 125), a == b)                 \
  ROW(complex_float, _Complex float, 1.5f + 2.5f * I, a == b)                            \
  ROW(complex_double, _Complex double, 1.5 - 2.5 * I, a == b)                            \
  ROW(complex_long_double, _Complex long double, 1.5L - LARGE * I, a == b)               \
  ROW(pointer, void *, (void *)0x1234, a == b)                                           \
  ROW(enumeration, enum colour, green, a == b)                                           \
  ROW(c1, struct c1, {-1}, a.a == b.a)                                                   \
  ROW(s3, struct s3, {1 COMMA 2 COMMA 3}, a.a == b.a && a.c == b.c)                      \
  ROW(i2, struct i2, {-1 COMMA 2}, a.a == b.a && a.b == b.b)                             \
  ROW(id, struct id, {-1 COMMA 2.5}, a.a == b.a && a.b == b.b)                           \
  ROW(di, struct di, {-1.5 COMMA 2}, a.a == b.a && a.b == b.b)                           \
  ROW(dd, struct dd, {-1.5 COMMA 2.5}, a.a == b.a && a.b == b.b)                         \
  ROW(ff, struct ff, {-1.5f COMMA 2.5f}, a.a == b.a && a.b == b.b)                       \
  ROW(fff, struct fff, {1 COMMA 2 COMMA 3}, a.a == b.a && a.b == b.b && a.c == b.c)      \
  ROW(fi, struct fi, {1.5f COMMA -2}, a.a == b.a && a.b == b.b)                          \
  ROW(ffd, struct ffd, {1 COMMA 2 COMMA 3}, a.a == b.a && a.b == b.b && a.c == b.c)      \
  ROW(ll, struct ll, {-1 COMMA 2}, a.a == b.a && a.b == b.b)                             \
  ROW(lll, struct lll, {-1 COMMA 2 COMMA 3}, a.a == b.a && a.b == b.b && a.c == b.c)     \
  ROW(nested, struct nested, {{1 COMMA 2} COMMA {'x' COMMA 4}},                          \
      a.a.b == b.a.b && a.b.c == b.b.c && a.b.d == b.b.d)                                \
  ROW(arr, struct arr, {{1 COMMA -2 COMMA 3 COMMA 4 COMMA 5}}, a.a[1] == b.a[1] && a.a[4] == b.a[4]) \
  ROW(arr2, struct arr2, {{{1 COMMA 2} COMMA {3 COMMA 4}}}, a.a[0].b == b.a[0].b && a.a[1].b == b.a[1].b) \
  ROW(farr, struct farr, {{1 COMMA 2 COMMA 3 COMMA 4}}, a.a[0] == b.a[0] && a.a[3] == b.a[3]) \
  ROW(big, struct big, {{1 COMMA 2 COMMA 3 COMMA 4 COMMA 5 COMMA 6 COMMA 7 COMMA 8 COMMA 9}}, a.a[0] == b.a[0] && a.a[8] == b.a[8]) \
  ROW(cstr, struct cstr, {"text" COMMA 9}, strcmp(a.a, b.a) == 0 && a.b == b.b)           \
  ROW(ld, struct ld, {LARGE}, a.a == b.a)                                              \
  ROW(ldi, struct ldi, {LARGE COMMA 5}, a.a == b.a && a.b == b.b)                      \
  ROW(cf, struct cf, {1.5f + 2.5f * I}, a.a == b.a)                                      \
  ROW(i128, struct i128, {(__int128)-3 * ((__int128)1 << 70)}, a.a == b.a)                               \
  ROW(bits, struct bits, {-2 COMMA 1000000 COMMA -5}, a.a == b.a && a.b == b.b && a.c == b.c) \
  ROW(empty_inside, struct empty_inside, {3 COMMA {} COMMA 4}, a.a == b.a && a.b == b.b) \
  ROW(odd, struct odd, {"0123456789"}, memcmp(a.a, b.a, 11) == 0)                        \
  ROW(u_if, union u_if, {-7}, a.a == b.a)                                                \
  ROW(u_df, union u_df, {-7.5}, a.a == b.a)                                              \
  ROW(u_ld, union u_ld, {-7}, a.a == b.a)                                                \
  ROW(u_big, union u_big, {"a union of 24 bytes"}, memcmp(a.a, b.a, 24) == 0)            \
  ROW(u_x87, union u_x87, {LARGE}, a.a == b.a)                                         \
  ROW(u_torn, union u_torn, {.l = {-7 COMMA 8}}, a.l[0] == b.l[0] && a.l[1] == b.l[1])   \
  ROW(with_union, struct with_union, {1 COMMA {-7} COMMA 2.5}, a.tag == b.tag && a.u.a == b.u.a && a.d == b.d)

#define COMMA ,
#define DEFINE(name, type, value, equal)                                                 \
  static type name##_sample = value;                                                     \
  static type name##_function(int first, type given, double last) {                      \
    type none;                                                                           \
    memset(&none, 0, sizeof none);                                                       \
    return first == 7 && last == 2.5 ? given : none;                                     \
  }                                                                                      \
  static const void *name##_make(void) {                                                 \
    int expected = 7;                                                                    \
    return _Block_copy((const void *)^type(int first, type given, double last) {                        \
      type none;                                                                         \
      memset(&none, 0, sizeof none);                                                     \
      return first == expected && last == 2.5 ? given : none;                            \
    });                                                                                  \
  }                                                                                      \
  static bool name##_same(type a, type b) { return equal; }                              \
  static bool name##_check_block(const void *block) {                                    \
    return name##_same(((type(^)(int, type, double))block)(7, name##_sample, 2.5),       \
                       name##_sample);                                                   \
  }                                                                                      \
  static bool name##_check_function(const void *function) {                              \
    return name##_same(((type(*)(int, type, double))function)(7, name##_sample, 2.5),    \
                       name##_sample);                                                   \
  }
TYPES(DEFINE)

#define LIST(name, type, value, equal)                                                   \
  {#name, sizeof(type), &name##_sample, name##_make, (const void *)name##_function,      \
   name##_check_block, name##_check_function},

const struct fixture_type *fixture_types(size_t *count) {
  static const struct fixture_type types[] = {TYPES(LIST)};
  *count = sizeof types / sizeof *types;
  return types;
}

#include "ctest_oracle.h"

#include <stdbool.h>

typedef enum { first_case, second_case } plain_enum;
enum long_enum : long { long_case };

struct pair { int a; double b; };
struct tail { char a; struct pair n; char b; };
struct node { struct node *next; struct pair *n; struct pair **m; };
struct floats { float x, y; };
struct small { char c; short s; };
struct wide { char c; long double d; __int128 t; };
struct complexes { char c; _Complex float f; _Complex double d; _Complex long double l; };
struct flags { bool b; unsigned char c; unsigned short s; unsigned u; unsigned long l; };
struct empty {};
struct holds_empty { char c; struct empty e; int i; };
struct anonymous { struct { int x; char y; } s; union { int p; char q; } u; char z; };
struct flexible { int n; long z[]; };
struct zero_length { char n; int z[0]; };
struct arrays { char c; int a[3][4]; char *s; struct pair n[2]; };
struct references { id o; Class c; SEL s; void (^b)(int); void (*f)(int); const void *p; const char *n; };
struct atomics { char c; _Atomic(_Complex float) f; _Atomic int i; _Atomic(long double) d; };
struct enums { char c; plain_enum e; enum long_enum l; };
typedef struct { short a; long b; } alias;
union number { int i; float f; };
union mixed { char c; long l; long double d; struct { char x[17]; } a; };
union bits { int a : 3; unsigned b : 17; char c; };
struct unions { char c; union number n; union mixed m; };
struct several_bits { int a : 3; int b : 5; unsigned c : 30; unsigned char d : 2; long e : 40; };
struct separated_bits { char c; int b : 3; int : 0; char d; short s : 9; bool q : 1; };
struct zero_width_only { char c; int : 0; char d; };
struct zero_width_last { char c; int : 0; };
struct zero_width_long { char c; long l : 33; int : 0; long long k : 20; };
struct wide_bits { char c; plain_enum e : 2; unsigned __int128 t : 70; };
struct straddling_bits { int a : 20; int b : 20; };
struct short_bits { short a : 9; short b : 9; char c : 7; char d : 2; };
struct full_bits { char c; int i : 32; long l : 64; };
struct nested_bits { char c; struct straddling_bits b; short s : 3; };
struct bits_then_member { int a : 1; char c; int b : 1; double d; };
struct tagged { struct several_bits b[2]; };

#define ROW(type, ...) \
  { #type, @encode(type), sizeof(type), _Alignof(type), (const long[]){__VA_ARGS__ __VA_OPT__(,) CTEST_END} }
#define AT(type, field) offsetof(type, field)
#define BITS CTEST_BIT_FIELD

static const struct ctest_type types[] = {
    ROW(char), ROW(signed char), ROW(unsigned char), ROW(short), ROW(unsigned short), ROW(int),
    ROW(unsigned), ROW(long), ROW(unsigned long), ROW(long long), ROW(unsigned long long),
    ROW(__int128), ROW(unsigned __int128), ROW(bool), ROW(float), ROW(double), ROW(long double),
    ROW(_Complex float), ROW(_Complex double), ROW(_Complex long double), ROW(_Complex int),
    ROW(_Atomic char), ROW(_Atomic int), ROW(_Atomic(long double)), ROW(_Atomic(__int128)),
    ROW(_Atomic(_Complex float)), ROW(_Atomic(_Complex double)), ROW(_Atomic(_Complex long double)),
    ROW(_Atomic(int *)), ROW(char *), ROW(const char *), ROW(void *), ROW(const void *),
    ROW(struct node *), ROW(struct node **), ROW(struct floats *), ROW(struct floats **),
    ROW(void (*)(int)), ROW(void (**)(int)), ROW(void (^)(int)), ROW(id), ROW(Class), ROW(SEL),
    ROW(id *), ROW(int[0]), ROW(struct pair[3]), ROW(struct node[2]), ROW(int[2][3][4]),
    ROW(int (*)[3]), ROW(plain_enum), ROW(enum long_enum),
    ROW(struct pair, AT(struct pair, a), AT(struct pair, b)),
    ROW(struct tail, AT(struct tail, a), AT(struct tail, n), AT(struct tail, b)),
    ROW(struct node, AT(struct node, next), AT(struct node, n), AT(struct node, m)),
    ROW(struct floats, AT(struct floats, x), AT(struct floats, y)),
    ROW(struct small, AT(struct small, c), AT(struct small, s)),
    ROW(struct wide, AT(struct wide, c), AT(struct wide, d), AT(struct wide, t)),
    ROW(struct complexes, AT(struct complexes, c), AT(struct complexes, f), AT(struct complexes, d),
        AT(struct complexes, l)),
    ROW(struct flags, AT(struct flags, b), AT(struct flags, c), AT(struct flags, s),
        AT(struct flags, u), AT(struct flags, l)),
    ROW(struct empty),
    ROW(struct holds_empty, AT(struct holds_empty, c), AT(struct holds_empty, e),
        AT(struct holds_empty, i)),
    ROW(struct anonymous, AT(struct anonymous, s), AT(struct anonymous, u), AT(struct anonymous, z)),
    ROW(struct flexible, AT(struct flexible, n), AT(struct flexible, z)),
    ROW(struct zero_length, AT(struct zero_length, n), AT(struct zero_length, z)),
    ROW(struct arrays, AT(struct arrays, c), AT(struct arrays, a), AT(struct arrays, s),
        AT(struct arrays, n)),
    ROW(struct references, AT(struct references, o), AT(struct references, c),
        AT(struct references, s), AT(struct references, b), AT(struct references, f),
        AT(struct references, p), AT(struct references, n)),
    ROW(struct atomics, AT(struct atomics, c), AT(struct atomics, f), AT(struct atomics, i),
        AT(struct atomics, d)),
    ROW(struct enums, AT(struct enums, c), AT(struct enums, e), AT(struct enums, l)),
    ROW(alias, AT(alias, a), AT(alias, b)),
    ROW(union number, AT(union number, i), AT(union number, f)),
    ROW(union mixed, 0, 0, 0, 0),
    ROW(union bits, BITS, BITS, AT(union bits, c)),
    ROW(struct unions, AT(struct unions, c), AT(struct unions, n), AT(struct unions, m)),
    ROW(struct several_bits, BITS, BITS, BITS, BITS, BITS),
    ROW(struct separated_bits, AT(struct separated_bits, c), BITS, BITS,
        AT(struct separated_bits, d), BITS, BITS),
    ROW(struct zero_width_only, AT(struct zero_width_only, c), BITS, AT(struct zero_width_only, d)),
    ROW(struct zero_width_last, AT(struct zero_width_last, c), BITS),
    ROW(struct zero_width_long, AT(struct zero_width_long, c), BITS, BITS, BITS),
    ROW(struct wide_bits, AT(struct wide_bits, c), BITS, BITS),
    ROW(struct straddling_bits, BITS, BITS),
    ROW(struct short_bits, BITS, BITS, BITS, BITS),
    ROW(struct full_bits, AT(struct full_bits, c), BITS, BITS),
    ROW(struct nested_bits, AT(struct nested_bits, c), AT(struct nested_bits, b), BITS),
    ROW(struct bits_then_member, BITS, AT(struct bits_then_member, c), BITS,
        AT(struct bits_then_member, d)),
    ROW(struct tagged, AT(struct tagged, b)),
};

const struct ctest_type *ctest_types(size_t *count) {
  *count = sizeof(types) / sizeof(types[0]);
  return types;
}

#define ctest_blocks_function ctest_objc_blocks
#include "blocks.inc"

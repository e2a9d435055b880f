// C types that Swift imports, some of which reflection cannot see through.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ctest_point { double x, y; };
struct ctest_rect { struct ctest_point origin, corner; };
struct ctest_mixed { char c; short s; int i; long l; float f; double d; bool b; };
struct ctest_array { char tag; int values[4]; struct ctest_point points[2]; };
struct ctest_node { struct ctest_node *next; const char *name; void *data; struct ctest_node **links; };
struct ctest_callbacks { int (*compare)(const void *, const void *); void (*done)(void); };
struct ctest_long_double { char c; long double value; };
struct ctest_flexible { int count; int values[]; };
struct ctest_tail { struct ctest_mixed mixed; char last; };

enum ctest_color { ctest_red, ctest_green };
struct ctest_painted { enum ctest_color color; struct ctest_point at; };

union ctest_number { int i; float f; };
struct ctest_with_union { int tag; union ctest_number number; };
struct ctest_bits { int low : 3; int high : 5; };
struct ctest_bits_between { float x; int bits : 3; float y; };
struct ctest_bits_in_float_padding { float x; int bits : 3; double y; };
struct ctest_bits_in_integer_padding { char c; int bits : 3; int i; };
struct ctest_int128 { char c; __int128 big; };
struct __attribute__((packed)) ctest_packed { char c; int i; };
struct ctest_with_block { int tag; void (^done)(int); };

#include "CFixtures.h"

#define SWIFT __attribute__((swiftcall))

typedef SWIFT unsigned flag_method(unsigned flag, __attribute__((swift_context)) const void *self);

unsigned fixture_call_flag_method(const void *object, size_t slot, unsigned flag) {
  flag_method *const *class = *(flag_method *const *const *)object;
  return class[slot](flag, object);
}

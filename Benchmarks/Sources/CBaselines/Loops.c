#include "CBaselines.h"

int64_t cbl_call_add(const void *function, int64_t count) {
  int32_t (*volatile add)(int32_t, double) = (int32_t (*)(int32_t, double))function;
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) sum += add(cbl_first_argument(i), CBL_SECOND_ARGUMENT);
  return sum;
}

typedef float float4 __attribute__((vector_size(16)));

int64_t cbl_call_add4(const void *function, int64_t count) {
  float4 (*volatile add)(float4, float4) = (float4(*)(float4, float4))function;
  const float4 second = {CBL_SECOND_ARGUMENT, CBL_SECOND_ARGUMENT, CBL_SECOND_ARGUMENT,
                         CBL_SECOND_ARGUMENT};
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) {
    float first = cbl_first_argument(i);
    sum += (int64_t)add((float4){first, first, first, first}, second)[0];
  }
  return sum;
}

int64_t cbl_call_shift(const void *function, int64_t count) {
  CBLPair (*volatile shift)(CBLPair, const char *, int8_t) =
      (CBLPair (*)(CBLPair, const char *, int8_t))function;
  const CBLPair pair = {CBL_PAIR_X, CBL_PAIR_Y};
  double sum = 0;
  for (int64_t i = 0; i < count; i++) {
    CBLPair result = shift(pair, CBL_TEXT, cbl_step_argument(i));
    sum += result.x + result.y;
  }
  return (int64_t)sum;
}

#include "CBRCallMemory.h"

#if CBR_HAS_CALL_PLANS
#include "CBRReentrancy.h"

// Calls an original with all registers that a narrow call may use.
#define NARROW(result) \
  ((result(*)(long, long, long, double, double))function)( \
      INTEGER(0), INTEGER(1), INTEGER(2), FLOAT(0), FLOAT(1))
#define INTEGER(index) (((const long *)((const char *)memory + CBR_MEMORY_INTEGERS))[index])
#define FLOAT(index) \
  (*(const double *)((const char *)memory + CBR_MEMORY_FLOATS + CBR_MEMORY_FLOAT_SIZE * index))

void cbr_call_unguarded(void *memory, const void *function, uint32_t floats) {
  struct cbr_around_original around = cbr_begin_original(memory);
  cbr_call_registers(memory, function, floats);
  cbr_end_original(around);
}

void cbr_call_narrow_unguarded(void *memory, const void *function, uint32_t floats) {
  struct cbr_around_original around = cbr_begin_original(memory);
  *(long *)((char *)memory + CBR_MEMORY_RESULT) = NARROW(long);
  cbr_end_original(around);
}

void cbr_call_narrow_float_unguarded(void *memory, const void *function, uint32_t floats) {
  struct cbr_around_original around = cbr_begin_original(memory);
  *(double *)((char *)memory + CBR_MEMORY_FLOAT_RESULT) = NARROW(double);
  cbr_end_original(around);
}
#endif

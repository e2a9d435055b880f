#include "CBaselines.h"

#include <stdlib.h>

int64_t cbl_call_labs(int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) sum += labs(-(long)cbl_first_argument(i));
  return sum;
}

int64_t cbl_allocate(int64_t count) {
  int64_t made = 0;
  for (int64_t i = 0; i < count; i++) {
    void *memory = malloc(48);
    made += memory != NULL;
    free(memory);
  }
  return made;
}

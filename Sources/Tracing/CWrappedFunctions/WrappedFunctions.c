#include "CBRWrappedFunctions.h"

#define NAME(function) #function,
static const char *const names[] = {CBR_WRAPPED_FUNCTIONS(NAME, NAME, NAME)};

const char *cbr_wrapped_name(size_t number) {
  return number < sizeof names / sizeof *names ? names[number] : NULL;
}

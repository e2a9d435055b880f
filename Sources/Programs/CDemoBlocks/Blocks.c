#include "CDemoBlocks.h"

#include "Libdispatch.h"

typedef int32_t (^Sum)(int32_t, int32_t);
typedef int32_t (^Scaling)(int32_t);
typedef CDemoRect (^MakeRect)(double, double);
typedef void (^Visit)(int32_t, char);
typedef int32_t (^Spelling)(const char *, Visit);

static const Sum sum = ^int32_t(int32_t first, int32_t second) {
  return first + second;
};

static const Spelling spelling = ^int32_t(const char *text, Visit visit) {
  int32_t length = 0;
  for (; text[length]; length++) visit(length, text[length]);
  return length;
};

const void *cdemo_global_block(void) { return (const void *)sum; }

const void *cdemo_spelling_block(void) { return (const void *)spelling; }

const void *cdemo_make_scaling_block(int32_t factor) {
  return (const void *)_Block_copy(^int32_t(int32_t value) {
    return value * factor;
  });
}

const void *cdemo_make_rect_block(double margin) {
  return (const void *)_Block_copy(^CDemoRect(double width, double height) {
    return (CDemoRect){margin, margin, width, height};
  });
}

void cdemo_release(const void *block) { _Block_release(block); }

int32_t cdemo_call_sum(const void *block, int32_t first, int32_t second) {
  return ((Sum)block)(first, second);
}

int32_t cdemo_call_scaling(const void *block, int32_t value) { return ((Scaling)block)(value); }

CDemoRect cdemo_call_rect(const void *block, double width, double height) {
  return ((MakeRect)block)(width, height);
}

int32_t cdemo_call_spelling(const void *block, const char *text, int32_t *visits) {
  *visits = 0;
  return ((Spelling)block)(text, ^(int32_t position, char letter) {
    (void)position, (void)letter;
    ++*visits;
  });
}

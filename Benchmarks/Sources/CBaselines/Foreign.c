#include "CBaselines.h"

#include <ffi.h>
#include <stdlib.h>

static ffi_type *add_types[] = {&ffi_type_sint32, &ffi_type_double};
static ffi_type *add_block_types[] = {&ffi_type_pointer, &ffi_type_sint32, &ffi_type_double};
static ffi_type *pair_members[] = {&ffi_type_double, &ffi_type_double, NULL};
static ffi_type pair_type = {.type = FFI_TYPE_STRUCT, .elements = pair_members};
static ffi_type *shift_types[] = {&pair_type, &ffi_type_pointer, &ffi_type_sint8};

int64_t cbl_ffi_call_add(const void *function, int64_t count) {
  ffi_cif interface;
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 2, &ffi_type_sint32, add_types) != FFI_OK)
    return -1;
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) {
    int32_t first = cbl_first_argument(i);
    double second = CBL_SECOND_ARGUMENT;
    void *arguments[] = {&first, &second};
    ffi_arg result;
    ffi_call(&interface, (void (*)(void))function, &result, arguments);
    sum += (int32_t)result;
  }
  return sum;
}

int64_t cbl_ffi_call_shift(const void *function, int64_t count) {
  ffi_cif interface;
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 3, &pair_type, shift_types) != FFI_OK) return -1;
  double sum = 0;
  for (int64_t i = 0; i < count; i++) {
    CBLPair pair = {CBL_PAIR_X, CBL_PAIR_Y}, result;
    const char *text = CBL_TEXT;
    int8_t step = cbl_step_argument(i);
    void *arguments[] = {&pair, &text, &step};
    ffi_call(&interface, (void (*)(void))function, &result, arguments);
    sum += result.x + result.y;
  }
  return (int64_t)sum;
}

// A closure and what it needs; never freed.
typedef struct {
  ffi_cif interface;
  const void *original;
} Closure;

typedef void (*Handler)(ffi_cif *, void *, void **, void *);

static const void *make_closure(unsigned count, ffi_type **types, Handler handler,
                                const void *original) {
  void *code;
  ffi_closure *closure = ffi_closure_alloc(sizeof(ffi_closure), &code);
  Closure *state = malloc(sizeof *state);
  if (!closure || !state) return NULL;
  state->original = original;
  if (ffi_prep_cif(&state->interface, FFI_DEFAULT_ABI, count, &ffi_type_sint32, types) != FFI_OK ||
      ffi_prep_closure_loc(closure, &state->interface, handler, state, code) != FFI_OK)
    return NULL;
  return code;
}

static void add_handler(ffi_cif *interface, void *result, void **arguments, void *state) {
  (void)interface, (void)state;
  // As the Swift handler: a checked conversion would be Swift's own work, not the callback's.
  int32_t second = *(double *)arguments[1] == CBL_SECOND_ARGUMENT ? (int32_t)CBL_SECOND_ARGUMENT : 0;
  *(ffi_arg *)result = (ffi_arg)(*(int32_t *)arguments[0] + second);
}

static void proceeding_handler(ffi_cif *interface, void *result, void **arguments, void *state) {
  ffi_call(interface, (void (*)(void))((Closure *)state)->original, result, arguments);
}

const void *cbl_ffi_add_closure(void) { return make_closure(2, add_types, add_handler, NULL); }

// The beginning of a block: https://clang.llvm.org/docs/Block-ABI-Apple.html
typedef struct {
  void *isa;
  int32_t flags, reserved;
  const void *invoke;
} Literal;

_Bool cbl_ffi_hook_add_block(const void *block) {
  Literal *literal = (Literal *)block;
  const void *code = make_closure(3, add_block_types, proceeding_handler, literal->invoke);
  if (!code) return 0;
  literal->invoke = code;
  return 1;
}

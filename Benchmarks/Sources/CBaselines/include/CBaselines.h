// What the rows call, the loops that call it, and the peers that C makes.
//
// Each loop makes `count` calls and returns the sum of their results, so that the caller can check it.
#pragma once

#include <stddef.h>
#include <stdint.h>

// MARK: Victims (Victims.c)

/// `{CBLPair=dd}`: travels in two vector registers.
typedef struct {
  double x, y;
} CBLPair;

/// `iid`: the sum, the double truncated.
int32_t cbl_add(int32_t first, double second);

/// `{CBLPair=dd}{CBLPair=dd}*c`: x moved by the step, y by the first character.
CBLPair cbl_shift(CBLPair pair, const char *text, int8_t step);

/// The addresses of the victims' code.
const void *cbl_add_address(void);
/// `![16,16f]![16,16f]![16,16f]`: the sum of vectors.
const void *cbl_add4_address(void);
const void *cbl_shift_address(void);

// MARK: Loops (Loops.c)

/// The arguments of call number `index`, the same in every loop and language.
static inline int32_t cbl_first_argument(int64_t index) { return (int32_t)(index & 1023); }
static inline int8_t cbl_step_argument(int64_t index) { return (int8_t)(index & 63); }
#define CBL_SECOND_ARGUMENT 1.5
#define CBL_PAIR_X 1.0
#define CBL_PAIR_Y 2.0
#define CBL_TEXT "a"

/// Calls a function of `cbl_add`'s type through a volatile pointer.
int64_t cbl_call_add(const void *function, int64_t count);

/// Calls a function of vectors through a volatile pointer, each number in all lanes.
int64_t cbl_call_add4(const void *function, int64_t count);

/// Calls a function of `cbl_shift`'s type through a volatile pointer; the sum of both members.
int64_t cbl_call_shift(const void *function, int64_t count);

// MARK: Blocks (Blocks.c)

/// A heap block `i20@?0i8d12` that captures `offset` and adds it to the sum; given up by
/// `cbl_release`.
const void *cbl_new_add_block(int32_t offset);

void cbl_release(const void *block);

/// Calls a block of `cbl_new_add_block`'s type.
int64_t cbl_call_add_block(const void *block, int64_t count);

/// `{CBLWide=[7d]}`: travels on the stack, or by its address.
typedef struct {
  double values[7];
} CBLWide;

/// A heap block of six integers, three doubles and a `CBLWide`, which returns the sum of the first
/// and of the last of them; given up by `cbl_release`.
const void *cbl_new_wide_block(void);

/// Calls a block of `cbl_new_wide_block`'s type with the first argument and what makes the results
/// those of `cbl_add`.
int64_t cbl_call_wide_block(const void *block, int64_t count);

// MARK: Imports (Imports.c)

/// Calls `labs`, as the program imports it, with the first arguments negated.
int64_t cbl_call_labs(int64_t count);

/// Allocates and frees so often; how often there was memory.
int64_t cbl_allocate(int64_t count);

// MARK: libffi (Foreign.c)

/// Calls a function of `cbl_add`'s type by `ffi_call`, its interface prepared once; -1 if libffi
/// refuses.
int64_t cbl_ffi_call_add(const void *function, int64_t count);

/// Calls a function of `cbl_shift`'s type by `ffi_call`, its interface prepared once; -1 if libffi
/// refuses.
int64_t cbl_ffi_call_shift(const void *function, int64_t count);

/// The code of a libffi closure whose handler reads both arguments and returns their sum; it lives
/// as long as the program. Null if libffi refuses.
const void *cbl_ffi_add_closure(void);

/// Replaces the code of a block of `cbl_new_add_block`'s type by a libffi closure that proceeds to
/// the original by `ffi_call`; false if libffi refuses.
_Bool cbl_ffi_hook_add_block(const void *block);

/// How many bytes of the heap are in use.
size_t cbl_bytes_in_use(void);

/// Gives unused memory of the heap back to the system.
void cbl_trim(void);

/// Puts a token with memory for a closure into a list: the floor for a delayed block.
void *_Nullable cbl_delay_schedule(void);

/// Takes a token out of the list, and frees it and its closure.
void cbl_delay_cancel(void *_Nonnull token);

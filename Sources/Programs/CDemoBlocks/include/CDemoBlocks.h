// Blocks made by clang, and C code that calls blocks: what the tour hooks.
//
// Blocks cross this border as plain pointers: a C function that returns a block type would be
// imported by Swift as returning a closure, not the block itself.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// A structure of more than 16 bytes: a result of this type goes through a hidden pointer.
typedef struct CDemoRect {
  double x, y, width, height;
} CDemoRect;

/// `int32_t (^)(int32_t, int32_t)`: the sum. It captures nothing, so it lies in a read-only page.
const void *_Nonnull cdemo_global_block(void);

/// `int32_t (^)(int32_t)`: the argument times `factor`. On the heap; the caller releases it.
const void *_Nullable cdemo_make_scaling_block(int32_t factor);

/// `CDemoRect (^)(double width, double height)`: a rectangle at `margin`, `margin`. On the heap;
/// the caller releases it.
const void *_Nullable cdemo_make_rect_block(double margin);

/// `int32_t (^)(const char *text, void (^visit)(int32_t position, char letter))`: visits each
/// letter and returns their number. It captures nothing.
const void *_Nonnull cdemo_spelling_block(void);

/// A block made by `dispatch_block_create` that counts its runs. The caller releases it.
const void *_Nullable cdemo_make_dispatch_block(void);

/// How often blocks made by `cdemo_make_dispatch_block` ran.
int32_t cdemo_dispatch_block_runs(void);

/// Releases one reference to a block.
void cdemo_release(const void *_Nonnull block);

/// Calls an `int32_t (^)(int32_t, int32_t)` from C.
int32_t cdemo_call_sum(const void *_Nonnull block, int32_t first, int32_t second);

/// Calls an `int32_t (^)(int32_t)` from C.
int32_t cdemo_call_scaling(const void *_Nonnull block, int32_t value);

/// Calls a `CDemoRect (^)(double, double)` from C.
CDemoRect cdemo_call_rect(const void *_Nonnull block, double width, double height);

/// Calls the spelling block from C, with a block that counts.
///
/// \returns What the block returns; `visits` receives how often the inner block was called.
int32_t cdemo_call_spelling(
    const void *_Nonnull block, const char *_Nonnull text, int32_t *_Nonnull visits);

/// Queues a `void (^)(void)` with `dispatch_async`, and waits until it ran.
void cdemo_run_async(const void *_Nonnull block);

/// Runs a `void (^)(void)` with `dispatch_sync`.
void cdemo_run_sync(const void *_Nonnull block);

/// Whether the page at an address can be written to; false also where that cannot be found out.
bool cdemo_is_writable(const void *_Nonnull address);

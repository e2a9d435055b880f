// What clang says about types and blocks: the oracle that the Swift code is compared with.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Ends a list of offsets.
#define CTEST_END (-2)
/// Stands in a list of offsets for a bit-field, whose place its encoding says.
#define CTEST_BIT_FIELD (-1)

/// A type with clang's encoding, size, alignment and member offsets.
struct ctest_type {
  const char *name;
  const char *encoding;
  size_t size;
  size_t alignment;
  /// The members' offsets up to CTEST_END; empty for types other than records.
  const long *offsets;
};

/// All types of the oracle; their number is stored in `count`.
const struct ctest_type *ctest_types(size_t *count);

/// A block with the signature that the runtime reads from it.
struct ctest_block {
  const char *name;
  const char *signature;
  bool uses_struct_return;
  /// The sizes of the result (0 for void) and of the own arguments, up to `count`.
  size_t sizes[8];
  size_t count;
  /// The code with which the signature is refused for calls, or NULL.
  const char *refusal;
};

/// Blocks compiled as C, in which bit-fields lack their declared type.
const struct ctest_block *ctest_c_blocks(size_t *count);

/// Blocks compiled as Objective-C with GNU's runtime.
const struct ctest_block *ctest_objc_blocks(size_t *count);

/// The runtime's signature of a block.
const char *ctest_block_signature(const void *block);

/// The major version of the clang that compiled this.
int ctest_clang_version(void);

/// Whether a block's flags announce a result through a hidden pointer.
bool ctest_block_uses_struct_return(const void *block);

// A context attached to one block through a descriptor of the block's own.
//
// The block's descriptor is replaced by a clone that carries a context pointer behind it. The clone
// of a heap block has a dispose helper, so that the context ends with the block; a global block
// never ends. Nothing else in the process sees a difference: size, signature and layout are kept.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Allocates the clone of `block`'s descriptor; NULL where memory is short. At the block's end
// `will_die` is called, then the block's own dispose helper, then `release`.
void *cbr_attachment_create(const void *block, void *context, void (*will_die)(void *context),
                            void (*release)(void *context));

// Frees an attachment that was never installed. The context is not released.
void cbr_attachment_discard(void *attachment);

// Makes `attachment` the block's descriptor. The block must be writable, and callers must not
// install on the same block at the same time.
void cbr_attachment_install(const void *block, void *attachment);

// The context attached to `block`, or NULL.
void *cbr_attachment_context(const void *block);

// The invoke pointer that `block` had when its attachment was made; its own where it has none.
const void *cbr_attachment_original_invoke(const void *block);

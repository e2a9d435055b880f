// A context attached to one block by means of a descriptor of its own.
//
// The block's descriptor is replaced by a copy that is followed by a context pointer. The copy for
// a heap block has a dispose helper, which releases the context when the block is deallocated; a
// global block is never deallocated. Nothing else in the process sees a difference: size, signature
// and layout stay the same.
#pragma once

// Offsets in a block and in its attachment, for the code that many hooked blocks share.
#define CBR_BLOCK_INVOKE 16
#define CBR_BLOCK_DESCRIPTOR 24
#define CBR_DESCRIPTOR_ENTRY 48

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>

// Allocates the replacement of `block`'s descriptor; NULL if memory is short. When the block is
// deallocated, `will_die` is called, then the block's own dispose helper, then `release`.
void *cbr_attachment_create(const void *block, void *context,
                            void (*will_die)(void *context, const void *block),
                            void (*release)(void *context));

// Copies a block that has an attachment to the heap, without the attachment, with the block's own
// copy helper. `will_die` may call this, too. The caller owns the copy; NULL if memory is short.
const void *cbr_attachment_copy_block(const void *block);

// Frees an attachment that was never installed. The context is not released.
void cbr_attachment_discard(void *attachment);

// Makes `attachment` the block's descriptor. The block must be writable. False if the descriptor
// has changed since the attachment was made, as by another copy of this library.
bool cbr_attachment_install(const void *block, void *attachment);

// The context attached to `block`, or NULL.
void *cbr_attachment_context(const void *block);

// Stores the entry of a block's calls in its attachment, from which the shared code reads it.
void cbr_attachment_set_entry(const void *block, const void *entry);

// Return what the runtime's `_Block_signature` and `_Block_extended_layout` return, and may also be
// called while another thread installs an attachment. The runtime's functions read the descriptor
// before the flags that describe it, so they may read past the end of an old descriptor.
const char *cbr_block_signature(const void *block);
const char *cbr_block_layout(const void *block);

// The dispose helper that `block` had before its attachment; NULL without one.
const void *cbr_block_dispose_helper(const void *block);

// The invoke pointer that `block` had when its attachment was made; its present one if it has no
// attachment.
const void *cbr_attachment_original_invoke(const void *block);
#endif

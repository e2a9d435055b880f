// A context attached to one block through a descriptor of the block's own.
//
// The block's descriptor is replaced by a clone that carries a context pointer behind it. The clone
// of a heap block has a dispose helper, so that the context ends with the block; a global block
// never ends. Nothing else in the process sees a difference: size, signature and layout are kept.
#pragma once

// Offsets in a block and in its attachment, for the code that many hooked blocks share.
#define CBR_BLOCK_INVOKE 16
#define CBR_BLOCK_DESCRIPTOR 24
#define CBR_DESCRIPTOR_ENTRY 48

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>

// Allocates the clone of `block`'s descriptor; NULL where memory is short. At the block's end
// `will_die` is called, then the block's own dispose helper, then `release`.
void *cbr_attachment_create(const void *block, void *context,
                            void (*will_die)(void *context, const void *block),
                            void (*release)(void *context));

// Copies a heap block that has an attachment, without it, by the block's own copy helper. Also while
// the block dies, in `will_die`. The caller owns the copy; NULL where memory is short.
const void *cbr_attachment_copy_block(const void *block);

// Frees an attachment that was never installed. The context is not released.
void cbr_attachment_discard(void *attachment);

// Makes `attachment` the block's descriptor. The block must be writable. False if it has got another
// descriptor since the attachment was made, as another copy of this library may give it one.
bool cbr_attachment_install(const void *block, void *attachment);

// The context attached to `block`, or NULL.
void *cbr_attachment_context(const void *block);

// Sets the entry of a block's calls in its attachment, where that code finds it.
void cbr_attachment_set_entry(const void *block, const void *entry);

// What the runtime's `_Block_signature` and `_Block_extended_layout` return, also while another thread
// makes an attachment the block's descriptor: these read the descriptor before the flag that tells what
// it holds, and may look behind the end of an old one.
const char *cbr_block_signature(const void *block);
const char *cbr_block_layout(const void *block);

// The invoke pointer that `block` had when its attachment was made; its own where it has none.
const void *cbr_attachment_original_invoke(const void *block);
#endif

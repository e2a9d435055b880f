#include "CBRBlockAttachment.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "CBRBlockLiteral.h"
#include "CBROwnCalls.h"

struct attachment {
  // The descriptor as the runtime reads it. Compilers write 0 into `reserved`; an attachment has
  // the address of `cbr_attachment_marker` there, which distinguishes it from a compiler's
  // descriptor.
  struct cbr_block_descriptor head;
  const void *words[4];

  // The code that hooked blocks share reads the entry of their calls here.
  const void *entry;

  const struct cbr_block_descriptor *original;
  const void *original_invoke;
  void (*original_copy)(void *destination, const void *block);
  void (*original_dispose)(const void *block);
  void *context;
  void (*will_die)(void *context, const void *block);
  void (*release)(void *context);
};

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(offsetof(struct attachment, entry) == CBR_DESCRIPTOR_ENTRY, "assembly");
_Static_assert(offsetof(struct attachment, original_invoke) == 64 &&
                   offsetof(struct attachment, original_copy) == 72 &&
                   offsetof(struct attachment, original_dispose) == 80,
               "Tools/blockruntime/blocks.py");
_Static_assert(offsetof(struct cbr_block, invoke) == CBR_BLOCK_INVOKE, "assembly");
_Static_assert(offsetof(struct cbr_block, descriptor) == CBR_BLOCK_DESCRIPTOR, "assembly");
#endif

// Debuggers recognise attachments by the name of this marker: see Tools.
static const char cbr_attachment_marker;

static struct attachment *as_attachment(const struct cbr_block_descriptor *descriptor) {
  return descriptor->reserved == (uintptr_t)&cbr_attachment_marker ? (struct attachment *)descriptor : NULL;
}

static struct attachment *attachment_of(const void *block) {
  return as_attachment(cbr_block_descriptor(block));
}

// The signature and the layout in a descriptor that was read after the flags. An attachment of a
// heap block has helpers even if the flags were read before they said so.
static const void *const *tail(const struct cbr_block_descriptor *descriptor, uint32_t flags) {
  const void *const *optional = (const void *const *)(descriptor + 1);
  bool has_helpers = flags & CBR_BLOCK_HAS_COPY_DISPOSE ||
                     (flags & CBR_BLOCK_NEEDS_FREE && as_attachment(descriptor));
  return optional + (has_helpers ? 2 : 0);
}

const char *cbr_block_signature(const void *block) {
  uint32_t flags = cbr_block_flags(block);
  return flags & CBR_BLOCK_HAS_SIGNATURE ? tail(cbr_block_descriptor(block), flags)[0] : NULL;
}

const char *cbr_block_layout(const void *block) {
  uint32_t flags = cbr_block_flags(block);
  if (!(flags & CBR_BLOCK_HAS_SIGNATURE) || !(flags & CBR_BLOCK_HAS_EXTENDED_LAYOUT)) return NULL;
  const char *layout = tail(cbr_block_descriptor(block), flags)[1];
  return layout ? layout : "";
}

static void dispose(const void *block) {
  struct attachment *attachment = attachment_of(block);
  attachment->will_die(attachment->context, block);
  // The original helper may be one of another copy of this library, which looks for its own
  // descriptor.
  ((struct cbr_block *)block)->descriptor = attachment->original;
  if (attachment->original_dispose) attachment->original_dispose(block);
  attachment->release(attachment->context);
  cbr_attachment_discard(attachment);
}

void *cbr_attachment_create(const void *block, void *context,
                            void (*will_die)(void *context, const void *block),
                            void (*release)(void *context)) {
  OWN_CALLS;
  struct attachment *attachment = calloc(1, sizeof *attachment);
  if (!attachment) return NULL;

  uint32_t flags = cbr_block_flags(block);
  const struct cbr_block_descriptor *original = cbr_block_descriptor(block);
  const void *const *optional = (const void *const *)(original + 1);
  bool has_copy_dispose = flags & CBR_BLOCK_HAS_COPY_DISPOSE;
  bool has_signature = flags & CBR_BLOCK_HAS_SIGNATURE;
  bool has_layout = flags & CBR_BLOCK_HAS_EXTENDED_LAYOUT;
  const void *const *end = tail(original, flags);
  const void *signature = has_signature ? end[0] : NULL;
  const void *layout = has_signature && has_layout ? end[1] : NULL;

  attachment->head.reserved = (uintptr_t)&cbr_attachment_marker;
  attachment->head.size = original->size;
  attachment->original = original;
  attachment->original_invoke = cbr_block_invoke(block);
  attachment->context = context;
  attachment->will_die = will_die;
  attachment->release = release;

  if (flags & CBR_BLOCK_NEEDS_FREE) {
    // A heap block gets helpers. The runtime never calls the copy helper of a block that is on the
    // heap already, so if the block had none, that slot repeats the signature: a thread that read
    // the flags before HAS_COPY_DISPOSE was set, and reads this descriptor afterwards, looks for
    // the signature there. A thread that reads the old descriptor first and the new flags
    // afterwards may read past its end, which cannot be prevented.
    attachment->words[0] = has_copy_dispose ? optional[0] : signature;
    attachment->words[1] = (const void *)dispose;
    attachment->words[2] = signature;
    attachment->words[3] = layout;
    if (has_copy_dispose) {
      attachment->original_copy = (void (*)(void *, const void *))optional[0];
      attachment->original_dispose = (void (*)(const void *))optional[1];
    }
  } else {
    // A global block is never copied or disposed of; its helpers, if any, only occupy their slots.
    size_t helpers = (size_t)(end - optional);
    memcpy(attachment->words, optional, helpers * sizeof *optional);
    attachment->words[helpers] = signature;
    attachment->words[helpers + 1] = layout;
  }
  return attachment;
}

void cbr_attachment_discard(void *attachment) {
  OWN_CALLS;
  free(attachment);
}

bool cbr_attachment_install(const void *block, void *attachment) {
  struct cbr_block *literal = (struct cbr_block *)block;
  const struct cbr_block_descriptor *seen = ((struct attachment *)attachment)->original;
  if (!__atomic_compare_exchange_n(&literal->descriptor, &seen, attachment, false,
                                   __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    return false;
  // The flags word also counts references, so it is changed atomically.
  if (cbr_block_flags(block) & CBR_BLOCK_NEEDS_FREE)
    __atomic_fetch_or(&literal->flags, CBR_BLOCK_HAS_COPY_DISPOSE, __ATOMIC_RELEASE);
  return true;
}

static void *allocate(size_t size) {
  OWN_CALLS;
  return malloc(size);
}

const void *cbr_attachment_copy_block(const void *block) {
  struct attachment *attachment = attachment_of(block);
  struct cbr_block *copy = attachment ? allocate(attachment->head.size) : NULL;
  if (!copy) return NULL;
  memcpy(copy, block, attachment->head.size);
  // The copy is on the heap, whatever the block is, and is not being deallocated. It has one
  // reference; the flags count references in steps of two.
  uint32_t cleared = CBR_BLOCK_REFCOUNT_MASK | CBR_BLOCK_DEALLOCATING | CBR_BLOCK_IS_GLOBAL;
  if (!attachment->original_copy) cleared |= CBR_BLOCK_HAS_COPY_DISPOSE;
  copy->isa = _NSConcreteMallocBlock;
  copy->flags = (copy->flags & ~cleared) | CBR_BLOCK_NEEDS_FREE | 2;
  copy->invoke = attachment->original_invoke;
  copy->descriptor = attachment->original;
  if (attachment->original_copy) attachment->original_copy(copy, block);
  return copy;
}

void *cbr_attachment_context(const void *block) {
  struct attachment *attachment = attachment_of(block);
  return attachment ? attachment->context : NULL;
}

void cbr_attachment_set_entry(const void *block, const void *entry) {
  struct attachment *attachment = attachment_of(block);
  if (attachment) __atomic_store_n(&attachment->entry, entry, __ATOMIC_RELEASE);
}

const void *cbr_block_dispose_helper(const void *block) {
  uint32_t flags = cbr_block_flags(block);
  const struct cbr_block_descriptor *descriptor = cbr_block_descriptor(block);
  struct attachment *attachment = as_attachment(descriptor);
  if (attachment && flags & CBR_BLOCK_NEEDS_FREE) return (const void *)attachment->original_dispose;
  return flags & CBR_BLOCK_HAS_COPY_DISPOSE ? ((const void *const *)(descriptor + 1))[1] : NULL;
}

const void *cbr_attachment_original_invoke(const void *block) {
  struct attachment *attachment = attachment_of(block);
  return attachment ? attachment->original_invoke : cbr_block_invoke(block);
}

#include <signal.h>
#include <stdlib.h>

#include "CBRBlockAttachment.h"
#include "CBRBlockLiteral.h"
#include "CFixtures.h"

// A heap block without helpers whose descriptor has a layout, and other things behind it.
static const struct {
  struct cbr_block_descriptor head;
  const char *signature, *layout, *behind[2];
} descriptor = {{0, sizeof(struct cbr_block)}, "i8@?0", "\x12", {"behind", "behind"}};

static int invoke(void *block) { return 1; }
static void ignore(void *context, const void *block) {}
static void ignore_context(void *context) {}

static struct cbr_block block;
static void *attachment;
static size_t steps_left;

static void take_step(int signal) {
  if (steps_left > 0 && --steps_left == 0) cbr_attachment_install(&block, attachment);
}

static const char *read_beside_first_hook(const char *(*read)(const void *block), size_t step,
                                          bool *is_over) {
#if defined(__x86_64__)
  block = (struct cbr_block){_NSConcreteMallocBlock,
                             CBR_BLOCK_NEEDS_FREE | CBR_BLOCK_HAS_SIGNATURE |
                                 CBR_BLOCK_HAS_EXTENDED_LAYOUT | 2,
                             0, (const void *)invoke, &descriptor.head};
  attachment = cbr_attachment_create(&block, NULL, ignore, ignore_context);
  struct sigaction action = {.sa_handler = take_step}, last;
  sigaction(SIGTRAP, &action, &last);
  steps_left = step;
  // The trap flag has the processor stop after each instruction.
  __asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq" ::: "memory", "cc");
  const char *text = read(&block);
  __asm__ volatile("pushfq; andl $~0x100, (%%rsp); popfq" ::: "memory", "cc");
  sigaction(SIGTRAP, &last, NULL);
  *is_over = steps_left > 0;
  cbr_attachment_discard(attachment);
  return text;
#else
  *is_over = true;
  return read == cbr_block_signature ? descriptor.signature : descriptor.layout;
#endif
}

const char *fixture_read_signature(size_t step, bool *is_over) {
  return read_beside_first_hook(cbr_block_signature, step, is_over);
}

const char *fixture_read_layout(size_t step, bool *is_over) {
  return read_beside_first_hook(cbr_block_layout, step, is_over);
}

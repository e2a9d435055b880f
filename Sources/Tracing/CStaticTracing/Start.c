#include <elf.h>
#include <stdint.h>

#include "CStaticTracing.h"

// By this note the tracing command knows that the program traces itself; it stays where symbols are
// stripped.
struct note {
  Elf64_Nhdr header;
  char name[16];
  uint32_t version;
};
__attribute__((section(".note.blockruntime"), used, aligned(4))) static const struct note note = {
    .header = {.n_namesz = sizeof "BlockRuntime", .n_descsz = sizeof(uint32_t), .n_type = 1},
    .name = "BlockRuntime",
    .version = 1};

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

extern start_function __real___libc_start_main __attribute__((weak));
static main_function *program;

static int start(int count, char **words, char **environment) {
  startStaticTracing();
  return program(count, words, environment);
}

// The C library calls the main function behind the constructors of all libraries that the program
// contains: before that of libdispatch, none of its functions may be called.
__attribute__((visibility("hidden"))) int __wrap___libc_start_main(
    main_function *main, int count, char **words, void (*begin)(void), void (*end)(void),
    void (*loader)(void), void *stack) {
  // The linker keeps what is used.
  __asm__ volatile("" ::"r"(&note));
  program = main;
  return __real___libc_start_main(start, count, words, begin, end, loader, stack);
}

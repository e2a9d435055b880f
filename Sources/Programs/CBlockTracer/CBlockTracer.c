#include "CBlockTracer.h"

// Defined by a program that contains the tracer, and that another traced program started: it traces itself.
extern void startStaticTracing(void) __attribute__((weak));

// Runs after the constructors of the libraries that this one needs, and before the program.
__attribute__((constructor)) static void start(void) {
  if (!startStaticTracing) blockTracerStart();
}

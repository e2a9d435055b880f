#include "CBlockTracer.h"

// Defined by a program that contains the tracer, and so traces itself: another traced program may
// have started it.
extern void startStaticTracing(void) __attribute__((weak));

// Runs after the constructors of the libraries that this one needs, and before the program.
__attribute__((constructor)) static void start(void) {
  if (!startStaticTracing) blockTracerStart();
}

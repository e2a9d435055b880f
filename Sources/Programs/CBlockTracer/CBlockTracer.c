#include "CBlockTracer.h"

// Runs after the constructors of the libraries that this one needs, and before the program.
__attribute__((constructor)) static void start(void) { blockTracerStart(); }

#include "CBlockTracer.h"

// Runs when the libraries that it needs have begun, and before the program has.
__attribute__((constructor)) static void start(void) { blockTracerStart(); }

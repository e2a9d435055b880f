#define _GNU_SOURCE
#include "CBRObservationBridge.h"

#include <unistd.h>

#include "CBROwnCalls.h"

_Atomic uintptr_t cbr_known_classes[256];

// Implemented by the module ObservationBridge.
extern void cbr_start_observation_bridge(void);

// A program that links the module need not call it: its first read of a property may be one that
// Observation has to note.
__attribute__((constructor)) static void start(void) { cbr_start_observation_bridge(); }

bool cbr_is_main_thread(void) {
  OWN_CALLS;
  return gettid() == getpid();
}

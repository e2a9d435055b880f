// The start of the bridge between key-value observing and Observation, when its image is loaded.
#pragma once

#include <stdbool.h>

// Whether the calling thread is the process's main thread.
bool cbr_is_main_thread(void);

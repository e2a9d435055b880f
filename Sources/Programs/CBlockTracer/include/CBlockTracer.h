// The entry point of the preloaded library.
#pragma once

// Called once when the library is loaded; implemented in Swift.
void blockTracerStart(void);

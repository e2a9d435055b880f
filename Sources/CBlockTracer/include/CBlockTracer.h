// The preloaded library's beginning.
#pragma once

// Called once, when the library is loaded; Swift implements it.
void blockTracerStart(void);

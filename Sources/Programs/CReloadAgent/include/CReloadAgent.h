#pragma once

// The part of hot reload that is preloaded into the program: it connects to the socket whose path
// is in the environment as BLOCKRUNTIME_RELOAD, and opens each library whose path it receives, a
// line each. It answers a line: `ok`, or the reason why the library cannot be opened. Without the
// variable it does nothing.

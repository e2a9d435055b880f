// Children of vfork(2), which use their parent's memory and thread until they exit or execute
// another program. A hooked function that never returns there (`_exit`, `execve`) leaves its hazard
// pointers to the parent, which is not inside the call.
#pragma once

#pragma clang assume_nonnull begin

// A function that replaces `vfork` and does the same; when the parent continues, it clears the
// hazard pointers that its child left. NULL if the platform has none.
const void *_Nullable cbr_vfork_code(void);

#pragma clang assume_nonnull end

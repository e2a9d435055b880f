// Children of vfork(2), which use their parent's memory and thread until they end or become another
// program: hooked functions that never return there (`_exit`, `execve`) leave what they protected to the
// parent, which is not inside of them.
#pragma once

#pragma clang assume_nonnull begin

// What takes the place of `vfork`, and does the same: where the parent goes on, it takes back what its
// child has left. NULL where the platform has none.
const void *_Nullable cbr_vfork_code(void);

#pragma clang assume_nonnull end

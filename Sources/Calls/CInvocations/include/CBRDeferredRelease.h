// One object per thread, whose release is deferred until the thread defers another release, or
// ends.
//
// A block returns an object without ownership, so something must retain the object until the caller
// has retained it. Apple's autorelease pool does that on other platforms.
#pragma once

// Takes over the caller's reference to `object`, a Swift object or a block, NULL for none, and
// releases the thread's previous object.
void cbr_release_later(void *object);

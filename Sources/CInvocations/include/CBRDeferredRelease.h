// One object a thread: kept until the thread's next, or until the thread ends.
//
// A block that returns an object returns it unowned; something must keep it until the caller has
// retained it. Apple's autorelease pool does that; here it is this slot.
#pragma once

// Takes over the caller's reference to `object` (a Swift object or a heap block; NULL for none) and
// releases the one kept before it.
void cbr_release_later(void *object);

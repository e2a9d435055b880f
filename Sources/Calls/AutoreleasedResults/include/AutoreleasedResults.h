// The only function of Apple's runtime that blocks which return objects or blocks need.
//
// Link this product if the linker reports that `objc_autoreleaseReturnValue` is undefined; leave it
// out if another Objective-C runtime defines it.
#pragma once

// Takes over the caller's reference to `object`, which may be NULL, and returns `object`. The
// object is released when this thread next returns such a result, also from a hooked call, or when
// the thread ends.
void *objc_autoreleaseReturnValue(void *object);

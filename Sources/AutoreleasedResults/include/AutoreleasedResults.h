// The one function that programs with blocks that return objects or blocks need and Linux lacks.
//
// Link this product where the linker asks for `objc_autoreleaseReturnValue`; leave it out where
// another Objective-C runtime provides it.
#pragma once

// Keeps `object` until this thread's next call of this function, or its end, and returns it.
void *objc_autoreleaseReturnValue(void *object);

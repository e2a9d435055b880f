// The order in which the loader searches objects for what an object refers to.
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

// Calls `visit` for the objects that the loader searches, in its order, until `visit` returns true.
//
// `program` and `object` are the loader's entries of the program and of the object that refers to
// something. The lock of the list of objects must be held.
__attribute__((visibility("hidden"))) bool cbr_visit_scope(
    const struct link_map *program, const struct link_map *object, void *context,
    bool (*visit)(void *context, const struct link_map *object));

// Names of messages, each kept once and for ever, so that they are compared by address.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The kept copy of a name, made if there is none.
const void *cbr_selector_named(const char *name);

// The kept copy of a name, NULL if there is none.
const void *_Nullable cbr_selector_known(const char *name);

// The kept copy of a literal, found by its address where it was asked for before.
const void *cbr_selector_literal(const uint8_t *text, size_t length);

// Whether an address is that of a kept name.
bool cbr_selector_is(const void *address);

#pragma clang assume_nonnull end

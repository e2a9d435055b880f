// Names of messages, each stored once and never freed, so that they are compared by address.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Returns the stored copy of a name; stores one if there is none.
const void *cbr_selector_named(const char *name);

// Returns the stored copy of a name, NULL if there is none.
const void *_Nullable cbr_selector_known(const char *name);

// Returns the stored copy of a literal; a repeated call usually finds it by the literal's address.
const void *cbr_selector_literal(const uint8_t *text, size_t length);

// Whether an address is that of a stored name.
bool cbr_selector_is(const void *address);

#pragma clang assume_nonnull end

#pragma once

#include <stddef.h>

// The unchanged files of the folder Page, embedded when this target is compiled.

struct ctp_text {
  const unsigned char *_Nonnull bytes;
  size_t count;
};

/// The page without contents: an empty style sheet, no calls, and a script that only says 'use
/// strict'.
struct ctp_text ctp_page(void);

/// The style sheet.
struct ctp_text ctp_style(void);

/// The script's files, in the order in which they run.
struct ctp_text ctp_script(void);

#ifndef CTRACEPAGE_H
#define CTRACEPAGE_H

#include <stddef.h>

// The files of the folder Page, as they are, embedded when this target is compiled.

struct ctp_text {
  const unsigned char *_Nonnull bytes;
  size_t count;
};

/// The page: an empty style sheet, no calls, and a script that says how all of it is read.
struct ctp_text ctp_page(void);

/// The style sheet.
struct ctp_text ctp_style(void);

/// The script's files, in the order in which they run.
struct ctp_text ctp_script(void);

#endif

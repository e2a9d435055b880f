#include "CTracePage.h"

// Before C23, clang accepts #embed with a warning.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page[] = {
#embed "Page/page.html"
};

static const unsigned char style[] = {
#embed "Page/style.css"
};

static const unsigned char script[] = {
// Formats of times, counts and file names.
#embed "Page/formats.js"
  ,
// The calls as columns of numbers, and their times.
#embed "Page/columns.js"
  ,
// Sums by block, the matches of the search, and what was chosen in a table.
#embed "Page/model.js"
  ,
// Rows of calls, in which a time is found fast, and bars stacked in rows.
#embed "Page/rows.js"
  ,
// How many blocks wait in a queue, as a curve.
#embed "Page/queues.js"
  ,
// The lanes of threads, queues and tasks.
#embed "Page/lanes.js"
  ,
// The stacks of all calls, added up.
#embed "Page/flames.js"
  ,
// The shown part of the trace, and its place on the screen.
#embed "Page/view.js"
  ,
// The view in the page's address.
#embed "Page/address.js"
  ,
// Drawing: at most one call for each pixel of a row, however many calls there are.
#embed "Page/painter.js"
  ,
// Arrows from where blocks were sent to where they began.
#embed "Page/arrows.js"
  ,
// Drawing of stacks, the shown frame, and its details.
#embed "Page/flamepainter.js"
  ,
// The whole trace above the lanes, with the shown part.
#embed "Page/overview.js"
  ,
// Tables of blocks, queues and tasks.
#embed "Page/tables.js"
  ,
// The details of the selected call; the trace's texts are set as text, never as markup.
#embed "Page/details.js"
  ,
// Heading, buttons, tooltip and status.
#embed "Page/panels.js"
  ,
// Actions of pointer, wheel, keys and buttons; the page is redrawn at most once in each frame.
#embed "Page/controls.js"
};

struct ctp_text ctp_page(void) { return (struct ctp_text){page, sizeof page}; }

struct ctp_text ctp_style(void) { return (struct ctp_text){style, sizeof style}; }

struct ctp_text ctp_script(void) { return (struct ctp_text){script, sizeof script}; }

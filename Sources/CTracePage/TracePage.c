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
// The calls in rows, the matches of the search and the chosen block, and sums by block.
#embed "Page/model.js"
  ,
// The shown part of the trace, its place on the screen, and both in the page's address.
#embed "Page/view.js"
  ,
// Drawing: at most one call for each pixel of a row, however many calls there are.
#embed "Page/painter.js"
  ,
// Heading, table, details and tooltip; the trace's texts are set as text, never as markup.
#embed "Page/panels.js"
  ,
// Actions of pointer, wheel, keys and buttons; the page is redrawn at most once in each frame.
#embed "Page/controls.js"
};

struct ctp_text ctp_page(void) { return (struct ctp_text){page, sizeof page}; }

struct ctp_text ctp_style(void) { return (struct ctp_text){style, sizeof style}; }

struct ctp_text ctp_script(void) { return (struct ctp_text){script, sizeof script}; }

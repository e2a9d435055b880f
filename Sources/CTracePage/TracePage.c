#include "CTracePage.h"

// Before C23 a compiler warns of #embed, and embeds.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page[] = {
#embed "Page/page.html"
};

static const unsigned char style[] = {
#embed "Page/style.css"
};

static const unsigned char script[] = {
// Times, counts and files as people read them.
#embed "Page/formats.js"
  ,
// The calls in rows, what matches the search and the chosen block, and sums by block.
#embed "Page/model.js"
  ,
// Which part of the trace is shown, where on the screen, and the same in the address.
#embed "Page/view.js"
  ,
// What is drawn, which in a row is at most one call a pixel, however many there are.
#embed "Page/painter.js"
  ,
// Heading, table, details and tip; the trace's texts are set as text, never as markup.
#embed "Page/panels.js"
  ,
// What pointer, wheel, keys and buttons do; drawing follows once a frame.
#embed "Page/controls.js"
};

struct ctp_text ctp_page(void) { return (struct ctp_text){page, sizeof page}; }

struct ctp_text ctp_style(void) { return (struct ctp_text){style, sizeof style}; }

struct ctp_text ctp_script(void) { return (struct ctp_text){script, sizeof script}; }

extension TracePage {
  /// Up to the style sheet.
  ///
  /// The policy lets the page load nothing and send nothing.
  static let head: StaticString = #"""
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
    <title>Trace</title>
    <style>

    """#

  /// The elements, up to the data.
  static let body: StaticString = #"""
    </style>
    </head>
    <body>
    <header>
      <div class="heading">
        <h1 id="title"></h1>
        <p id="summary"></p>
      </div>
      <div class="search" role="search">
        <input id="search" type="search" placeholder="Search names and values"
          aria-label="Search names, arguments, results and errors" autocomplete="off"
          spellcheck="false">
        <output id="hits" for="search"></output>
        <button id="previous" title="Previous match (Shift+Enter)"
          aria-label="Previous match">‹</button>
        <button id="next" title="Next match (Enter)" aria-label="Next match">›</button>
      </div>
      <div class="zoom">
        <button id="zoom-out" title="Zoom out (-)" aria-label="Zoom out">−</button>
        <button id="zoom-in" title="Zoom in (+)" aria-label="Zoom in">+</button>
        <button id="fit" title="Show everything (0)">Fit</button>
      </div>
    </header>
    <p id="notice" role="status" hidden></p>
    <main>
      <section id="timeline" aria-label="Timeline">
        <canvas id="overview" aria-hidden="true"></canvas>
        <canvas id="lanes" tabindex="0" role="img" aria-label="Calls by thread and time"></canvas>
        <p id="empty" hidden>No calls were recorded.</p>
        <footer>
          <span class="key"><i class="returned"></i>returned</span>
          <span class="key"><i class="replaced"></i>replaced</span>
          <span class="key"><i class="threw"></i>threw</span>
          <span class="key" id="unfinished" hidden><i class="unfinished"></i>not ended</span>
          <span class="key"><i class="dimmed"></i>filtered out</span>
          <span id="range"></span>
        </footer>
      </section>
      <section id="blocks" aria-label="Blocks">
        <table>
          <thead><tr id="columns"></tr></thead>
          <tbody id="rows"></tbody>
        </table>
        <p id="more" hidden></p>
      </section>
      <aside id="details" aria-label="Selected call" aria-live="polite"></aside>
    </main>
    <div id="tip" role="tooltip" hidden></div>
    <noscript><p>This page draws its timeline with JavaScript: allow it.</p></noscript>
    <script type="application/json" id="trace">
    """#

  /// Between the data and the scripts.
  static let code: StaticString = #"""
    </script>
    <script>
    'use strict';

    """#

  /// After the scripts.
  static let end: StaticString = #"""
    </script>
    </body>
    </html>

    """#
}

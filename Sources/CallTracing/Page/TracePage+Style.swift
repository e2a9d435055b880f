extension TracePage {
  /// The style sheet: colours by the reader's preference, then the parts from top to bottom.
  static let style: StaticString = #"""
    :root {
      --back: #f4f5f7; --panel: #ffffff; --line: #e1e4ea; --line-soft: #eef0f4;
      --text: #1b1f27; --muted: #667085; --accent: #2f6fed; --accent-soft: #e6eefe;
      --bad: #d92d20; --warn: #b54708; --warn-soft: #fef4e6; --hover: #f5f7fb;
      --shadow: 0 8px 28px rgba(16, 24, 40, .16);
      --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace;
      --sans: Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --back: #101319; --panel: #171b23; --line: #2a303c; --line-soft: #20252f;
        --text: #e4e7ec; --muted: #929bab; --accent: #6ea1ff; --accent-soft: #1e2c4a;
        --bad: #ff6b5e; --warn: #f3b562; --warn-soft: #33270f; --hover: #1d222c;
        --shadow: 0 8px 28px rgba(0, 0, 0, .55);
      }
    }
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    html, body { height: 100%; margin: 0; }
    body {
      display: flex; flex-direction: column; background: var(--back); color: var(--text);
      font: 13px/1.45 var(--sans); font-variant-numeric: tabular-nums;
    }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }

    header {
      display: flex; align-items: center; gap: 16px; padding: 12px 16px 10px; flex-wrap: wrap;
    }
    .heading { flex: 1 1 240px; min-width: 0; }
    h1 { margin: 0; font-size: 16px; font-weight: 650; letter-spacing: -.01em; }
    h1, #summary { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    #summary { margin: 1px 0 0; color: var(--muted); }
    button {
      font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line);
      border-radius: 7px; min-width: 32px; height: 32px; padding: 0 10px; cursor: pointer;
    }
    button:hover { background: var(--hover); }
    button:disabled { opacity: .45; cursor: default; }
    .search, .zoom { display: flex; align-items: center; gap: 6px; }
    .search { position: relative; }
    #search {
      font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line);
      border-radius: 7px; width: 340px; max-width: 46vw; height: 32px; padding: 0 118px 0 10px;
    }
    #search::placeholder { color: var(--muted); }
    #search::-webkit-search-cancel-button { display: none; }
    #hits {
      position: absolute; right: 88px; color: var(--muted); font-size: 12px; pointer-events: none;
    }
    #hits.none { color: var(--bad); }
    #notice {
      margin: 0 16px 10px; padding: 7px 12px; border-radius: 7px;
      color: var(--warn); background: var(--warn-soft);
    }

    main {
      flex: 1; min-height: 0; display: grid; gap: 10px; padding: 0 16px 16px;
      grid-template: minmax(200px, 1.5fr) minmax(150px, 1fr) / minmax(0, 1fr) 400px;
    }
    main > * {
      background: var(--panel); border: 1px solid var(--line); border-radius: 10px;
      overflow: hidden; min-height: 0;
    }
    #timeline { grid-column: 1 / -1; display: flex; flex-direction: column; position: relative; }
    canvas { display: block; width: 100%; }
    #overview { height: 46px; border-bottom: 1px solid var(--line); cursor: crosshair; }
    #lanes { flex: 1; min-height: 0; cursor: grab; touch-action: none; outline-offset: -2px; }
    #lanes.over { cursor: pointer; }
    #lanes.dragged { cursor: grabbing; }
    #empty {
      position: absolute; inset: 46px 0 34px; margin: 0; display: grid; place-items: center;
      color: var(--muted); font-size: 15px; pointer-events: none;
    }
    footer {
      display: flex; align-items: center; gap: 16px; padding: 7px 12px; color: var(--muted);
      border-top: 1px solid var(--line); font-size: 12px; white-space: nowrap; overflow: hidden;
    }
    .key i {
      display: inline-block; width: 18px; height: 11px; margin-right: 6px; border-radius: 3px;
      vertical-align: -1px; background: hsl(214 68% 76%);
    }
    .key i.threw { border-bottom: 4px solid var(--bad); }
    .key i.replaced { background: none; border: 1.5px dashed hsl(214 50% 55%); }
    .key i.unfinished { border-right: 5px solid var(--warn); }
    .key i.dimmed { opacity: .28; }
    @media (prefers-color-scheme: dark) { .key i { background: hsl(214 42% 42%); } }
    #range { margin-left: auto; }

    #blocks { overflow: auto; }
    table { border-collapse: collapse; width: 100%; table-layout: fixed; }
    th {
      position: sticky; top: 0; z-index: 1; background: var(--panel); padding: 0; text-align: right;
      font-weight: 500; box-shadow: inset 0 -1px var(--line); width: 104px;
    }
    th:first-child { width: auto; text-align: left; }
    th button {
      width: 100%; height: 34px; border: 0; border-radius: 0; padding: 0 12px; background: none;
      color: var(--muted); text-align: inherit; font-size: 12px;
    }
    th[aria-sort] button { color: var(--text); }
    th[aria-sort=descending] button::after { content: " ↓"; }
    th[aria-sort=ascending] button::after { content: " ↑"; }
    td {
      padding: 5px 12px; text-align: right; white-space: nowrap;
      border-bottom: 1px solid var(--line-soft);
    }
    td:first-child {
      text-align: left; overflow: hidden; text-overflow: ellipsis;
    }
    td small { color: var(--muted); margin-left: 8px; }
    td.bad { color: var(--bad); }
    tbody tr { cursor: pointer; }
    tbody tr:hover { background: var(--hover); }
    tbody tr[aria-selected=true] { background: var(--accent-soft); }
    tbody tr:focus-visible { outline-offset: -2px; }
    .swatch {
      display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 9px;
    }
    .share { display: block; height: 3px; border-radius: 2px; margin: 2px 0 -4px auto; }
    #more { margin: 0; padding: 8px 12px; color: var(--muted); }

    #details { overflow: auto; padding: 14px 16px; }
    #details h2 { margin: 0 0 8px; font-size: 13.5px; font-weight: 600; overflow-wrap: anywhere; }
    dl { display: grid; grid-template-columns: 84px 1fr; gap: 4px 12px; margin: 0; }
    dt { color: var(--muted); }
    dd { margin: 0; overflow-wrap: anywhere; }
    dd.bad, #tip .bad { color: var(--bad); }
    code, #details ol { font: 12px/1.5 var(--mono); white-space: pre-wrap; }
    ol { margin: 0; padding: 0; list-style: none; }
    #details .buttons { display: flex; gap: 6px; margin-bottom: 12px; }
    #details .buttons button { height: 28px; font-size: 12px; }
    #details p { margin: 0 0 10px; color: var(--muted); }
    kbd {
      font: 11px var(--mono); padding: 1px 5px; border: 1px solid var(--line); border-radius: 4px;
      color: var(--text); background: var(--back);
    }
    #tip {
      position: fixed; z-index: 9; max-width: min(520px, 90vw); padding: 9px 12px; font-size: 12px;
      background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
      box-shadow: var(--shadow); pointer-events: none; overflow-wrap: anywhere;
    }
    #tip strong { display: block; font-weight: 600; }
    #tip code { display: block; max-height: 9em; overflow: hidden; }
    #tip span { color: var(--muted); }
    @media (max-width: 860px) {
      body { height: auto; }
      main { grid-template: 420px auto auto / minmax(0, 1fr); }
      th { width: 76px; }
    }

    """#
}

let isDrawn = true;
function changed() {
  if (!isDrawn) return;
  isDrawn = false;
  requestAnimationFrame(draw);
}

function draw() {
  isDrawn = true;
  if (isFlames()) {
    paintFlames();
  } else {
    view.top = Math.max(0, Math.min(view.top, view.contentHeight - plotHeight()));
    paintLanes();
    paintOverview();
  }
  fillStatus();
  writeAddress();
}

function filterChanged() {
  applyFilter();
  fillTable();
  fillDetails();
  changed();
}

// Shows only the calls of a block, a queue or a task, or again all.
function choose(kind, number) {
  filter[kind] = filter[kind] === number ? -1 : number;
  filterChanged();
}

function chooseLanes(kind) {
  showLanes(kind);
  if (view.selected >= 0 && !isFlames()) reveal(view.selected);
  hideTip();
  choiceChanged();
  fillDetails();
}

function chooseTable(name) {
  view.table = name;
  choiceChanged();
}

function choiceChanged() {
  if (!shownTable().columns.some(({ key }) => key === view.sort)) view.sort = 'total';
  fillChoices();
  fillTable();
  changed();
}

function sortBy(key) {
  view.isAscending = view.sort === key ? !view.isAscending : key === 'name';
  view.sort = key;
  fillTable();
  changed();
}

function select(call) {
  view.selected = call;
  fillDetails();
  changed();
}

// Goes to the next or the previous match, in the order of time.
function step(way) {
  if (isFlames()) return stepToLit(way);
  if (!filter.isActive || filter.count === 0) return undefined;
  filter.order ??= Array.from(filter.matches.keys()).filter((call) => filter.matches[call])
    .sort((one, other) => start[one] - start[other] || calls.depth[one] - calls.depth[other]);
  const { order } = filter;
  const index = order.indexOf(view.selected);
  const next = index < 0 ? (way > 0 ? 0 : order.length - 1)
    : (index + way + order.length) % order.length;
  select(order[next]);
  return reveal(order[next]);
}

function clear() {
  filter.search = element('search').value = '';
  filter.block = filter.queue = filter.task = -1;
  view.selected = -1;
  filterChanged();
}

const keys = {
  '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2), '0': fit,
  'ArrowLeft': () => pan(-0.2), 'ArrowRight': () => pan(0.2),
  'ArrowUp': () => scroll(view.top - 40), 'ArrowDown': () => scroll(view.top + 40),
  'Escape': clear, 'n': () => step(1), 'N': () => step(-1),
  '1': () => chooseLanes('threads'), '2': () => chooseLanes('queues'),
  '3': () => chooseLanes('tasks'), '4': () => chooseLanes('flames'),
  '/': () => element('search').focus(),
};
// In the view of stacks; a frame is shown as wide as the view.
const flameKeys = {
  '+': () => stepInFlames('in'), '=': () => stepInFlames('in'), 'ArrowDown': () => stepInFlames('in'),
  '-': () => stepInFlames('out'), 'ArrowUp': () => stepInFlames('out'), '0': () => showFrame(0),
  'ArrowLeft': () => stepInFlames(-1), 'ArrowRight': () => stepInFlames(1),
  'Escape': () => (flameView.frame > 0 ? showFrame(0) : clear()),
  'w': () => chooseWeight(flameView.weight === 'own' ? 'wait' : 'own'),
};
const act = (name) => ((isFlames() && flameKeys[name]) || keys[name])?.();
addEventListener('keydown', (event) => {
  const isTyping = event.target === element('search');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping && event.key === 'Enter') step(event.shiftKey ? -1 : 1);
  if (isTyping && event.key === 'Escape') element('search').blur();
  if (isTyping && event.key !== 'Escape') return;
  if (!Object.hasOwn(keys, event.key) && !(isFlames() && Object.hasOwn(flameKeys, event.key))) return;
  event.preventDefault();
  act(event.key);
});

canvas.addEventListener('wheel', (event) => {
  event.preventDefault();
  const pixels = event.deltaMode === 0 ? 1 : 16;
  if (event.offsetX < gutter || event.shiftKey || isFlames()) {
    scroll(view.top + (event.deltaY || event.deltaX) * pixels);
  } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    pan(event.deltaX * pixels / plotWidth());
  } else {
    zoom(2 ** (event.deltaY * pixels / 240), timeAt(event.offsetX));
  }
}, { passive: false });

let drag = null;
canvas.addEventListener('pointerdown', (event) => {
  if (event.button !== 0) return;
  drag = { x: event.offsetX, y: event.offsetY, from: view.from, to: view.to, top: view.top };
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener('pointermove', (event) => {
  if (drag) {
    const [right, down] = [event.offsetX - drag.x, event.offsetY - drag.y];
    drag.isMoved ||= Math.hypot(right, down) > 4;
    if (!drag.isMoved) return;
    canvas.classList.add('dragged');
    hideTip();
    scroll(drag.top - down);
    if (isFlames()) return;
    const span = drag.to - drag.from;
    const from = Math.min(Math.max(drag.from - right / plotWidth() * span, 0), traceEnd - span);
    show(from, from + span);
    return;
  }
  if (isFlames()) {
    hoverFrame(frameAt(event.offsetX, event.offsetY), event);
    return;
  }
  const call = callAt(event.offsetX, event.offsetY);
  fillTip(call, event.clientX, event.clientY);
  if (call === view.hovered) return;
  view.hovered = call;
  changed();
});
canvas.addEventListener('pointerup', (event) => {
  canvas.classList.remove('dragged');
  if (drag && !drag.isMoved) {
    if (isFlames()) {
      const frame = frameAt(event.offsetX, event.offsetY);
      if (frame >= 0) showFrame(frame);
    } else {
      select(callAt(event.offsetX, event.offsetY));
    }
  }
  drag = null;
});
canvas.addEventListener('pointercancel', () => {
  canvas.classList.remove('dragged');
  drag = null;
});
canvas.addEventListener('pointerleave', () => {
  view.hovered = flameView.hovered = -1;
  hideTip();
  changed();
});
canvas.addEventListener('dblclick', (event) => {
  if (isFlames()) return;
  const call = callAt(event.offsetX, event.offsetY);
  if (call >= 0) fitCall(call); else fit();
});

// In the overview, pressing centres the shown span, and dragging selects a span.
const overviewTime = (event) =>
  Math.min(Math.max((event.offsetX - gutter) / plotWidth(), 0), 1) * traceEnd;
let chosen = null;
overview.addEventListener('pointerdown', (event) => {
  chosen = overviewTime(event);
  overview.setPointerCapture(event.pointerId);
});
overview.addEventListener('pointermove', (event) => {
  const time = overviewTime(event);
  if (chosen === null || Math.abs(time - chosen) < 3 * traceEnd / plotWidth()) return;
  show(Math.min(chosen, time), Math.max(chosen, time));
});
overview.addEventListener('pointerup', (event) => {
  const time = overviewTime(event);
  if (chosen !== null && Math.abs(time - chosen) < 3 * traceEnd / plotWidth()) {
    const half = (view.to - view.from) / 2;
    show(time - half, time + half);
  }
  chosen = null;
});
overview.addEventListener('dblclick', fit);

element('search').addEventListener('input', (event) => {
  filter.search = event.target.value;
  filterChanged();
});
element('previous').onclick = () => step(-1);
element('next').onclick = () => step(1);
element('zoom-in').onclick = () => act('+');
element('zoom-out').onclick = () => act('-');
element('fit').onclick = () => act('0');
for (const weight of Object.keys(flameWeights)) {
  element(`weight-${weight}`).onclick = () => chooseWeight(weight);
}
for (const kind of Object.keys(laneKinds)) {
  element(`lanes-${kind}`).onclick = () => chooseLanes(kind);
}
for (const name of Object.keys(tables)) {
  element(`table-${name}`).onclick = () => chooseTable(name);
}

function restore() {
  readAddress();
  element('search').value = filter.search;
  fillChoices();
  fillTable();
  document.querySelector('tr[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  fillDetails();
  changed();
}

function themeChanged() {
  readTheme();
  fillTable();
  changed();
}

isDark.addEventListener('change', themeChanged);
addEventListener('hashchange', restore);
new ResizeObserver(draw).observe(canvas);
readTheme();
fillHeading();
restore();

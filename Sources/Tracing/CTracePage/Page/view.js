const canvas = element('lanes');
const overview = element('overview');
const gutter = 184, axisHeight = 26, rowHeight = 19, laneMargin = 8, laneMinimum = 38;

const view = {
  from: 0, to: traceEnd, top: 0, width: 0, height: 0, contentHeight: 0,
  hovered: -1, selected: -1, sort: 'total', isAscending: false, arrowCount: 0,
  lanes: 'threads', set: laneSet('threads'),
  // The table that was chosen; null for the one of the shown lanes.
  table: null,
};

function layOut() {
  let top = 0;
  for (const lane of view.set.shown) {
    lane.top = top;
    lane.height = Math.max(lane.rows.length * rowHeight + 2 * laneMargin, laneMinimum)
      + (lane.curve?.most > 0 ? curveHeight : 0);
    top += lane.height;
  }
  view.contentHeight = top;
}
layOut();

// Shows the lanes of threads, queues or tasks, if there are any.
function showLanes(kind) {
  const known = Object.hasOwn(laneKinds, kind) && laneKinds[kind].count > 0 ? kind : 'threads';
  if (view.lanes === known) return;
  view.lanes = known;
  view.set = laneSet(known);
  view.top = 0;
  view.hovered = -1;
  applyFilter();
}

// The lanes in sight, from the top.
function* lanesInSight() {
  const { shown } = view.set;
  const first = firstIndex(0, shown.length,
    (index) => shown[index].top + shown[index].height > view.top);
  for (let index = first; index < shown.length; index += 1) {
    if (shown[index].top > view.top + plotHeight()) return;
    yield shown[index];
  }
}

// The begins and the ends of all bars that match, sorted.
function spanOfMatches(set) {
  if (set.matchVersion !== filter.version) {
    const bars = set.shown.flatMap(({ rows }) => rows.map(({ matching }) => matching));
    const count = bars.reduce((sum, row) => sum + row.calls.length, 0);
    [set.begins, set.ends] = [new Float64Array(count), new Float64Array(count)];
    let place = 0;
    for (const row of bars) {
      for (let index = 0; index < row.calls.length; index += 1, place += 1) {
        set.begins[place] = row.begin[index];
        set.ends[place] = end[row.calls[index]];
      }
    }
    set.begins.sort();
    set.ends.sort();
    set.matchVersion = filter.version;
  }
  return set;
}

// How many matching bars are in sight, however many there are: those that have begun but for those
// that have ended.
function countInSight() {
  const { begins, ends } = spanOfMatches(view.set);
  return firstIndex(0, begins.length, (index) => begins[index] > view.to)
    - firstIndex(0, ends.length, (index) => ends[index] >= view.from);
}

const plotWidth = () => Math.max(view.width - gutter, 1);
const plotHeight = () => Math.max(view.height - axisHeight, 1);
const xOf = (time) => gutter + (time - view.from) / (view.to - view.from) * plotWidth();
const timeAt = (x) => view.from + (x - gutter) / plotWidth() * (view.to - view.from);
const rowTop = (lane, depth) =>
  axisHeight + lane.top + laneMargin + depth * rowHeight - view.top;

// Shows a span of time, clamped to the trace.
function show(from, to) {
  const span = Math.min(Math.max(to - from, 10), traceEnd);
  view.from = Math.min(Math.max((from + to - span) / 2, 0), traceEnd - span);
  view.to = view.from + span;
  changed();
}

function zoom(factor, time = (view.from + view.to) / 2) {
  show(time - (time - view.from) * factor, time + (view.to - time) * factor);
}

// Moves by a share of the shown span.
function pan(share) {
  const way = (view.to - view.from) * share;
  const inside = Math.min(Math.max(way, -view.from), traceEnd - view.to);
  show(view.from + inside, view.to + inside);
}

function scroll(top) {
  view.top = Math.max(0, Math.min(top, view.contentHeight - plotHeight()));
  changed();
}

function fit() { show(0, traceEnd); }

function fitCall(call) {
  const margin = Math.max(end[call] - start[call], 8) * 0.15;
  show(start[call] - margin, end[call] + margin);
}

// Makes a call visible: moves as little as possible, and zooms in if the call would be a dot.
function reveal(call) {
  const span = view.to - view.from;
  const middle = (start[call] + end[call]) / 2;
  const width = (end[call] - start[call]) / span * plotWidth();
  if (width < 4) {
    const wanted = Math.max((end[call] - start[call]) * 30, 10);
    show(middle - wanted / 2, middle + wanted / 2);
  } else if (start[call] < view.from || end[call] > view.to) {
    show(middle - span / 2, middle + span / 2);
  }
  const lane = view.set.lanes[view.set.laneOf[call]];
  if (!view.set.shown.includes(lane)) return;
  const top = lane.top + laneMargin + view.set.rowOf[call] * rowHeight;
  if (top < view.top || top + rowHeight > view.top + plotHeight()) {
    scroll(top - plotHeight() / 2);
  }
}

// The call at a place of the timeline, -1 if there is none; the nearest one if calls are narrow.
function callAt(x, y) {
  if (x < gutter || y < axisHeight) return -1;
  const height = y - axisHeight + view.top;
  const lane = [...lanesInSight()].find(({ top, height: size }) =>
    height >= top && height < top + size);
  const row = lane?.rows[Math.floor((height - lane.top - laneMargin) / rowHeight)];
  if (!row) return -1;
  const [time, slack] = [timeAt(x), 3 * (view.to - view.from) / plotWidth()];
  for (const list of filter.isActive ? [row.matching, row] : [row]) {
    let found = -1;
    let distance = slack;
    const last = firstBeginningAfter(list, time + slack);
    for (let index = Math.max(firstReaching(list, time - slack), last - 64); index < last;
      index += 1) {
      const call = list.calls[index];
      const away = Math.max(list.begin[index] - time, time - end[call], 0);
      if (away <= distance) [found, distance] = [call, away];
    }
    if (found >= 0) return found;
  }
  return -1;
}

const isDark = matchMedia('(prefers-color-scheme: dark)');
const hues = [214, 158, 34, 276, 188, 322, 92, 244, 52, 300];
let theme = null;

// The colours of the style sheet, and for each block, by rank, those of its fill, text and edge.
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const named = (name) => style.getPropertyValue(`--${name}`).trim();
  theme = { font: named('sans'), blocks: [] };
  for (const name of ['panel', 'line', 'line-soft', 'text', 'muted', 'accent', 'bad', 'warn', 'curve']) {
    theme[name] = named(name);
  }
  for (const subject of subjects) {
    const hue = hues[subject.rank % hues.length];
    const turn = Math.floor(subject.rank / hues.length) % 3;
    theme.blocks.push(isDark.matches
      ? { fill: `hsl(${hue} 42% ${37 - turn * 7}%)`, text: `hsl(${hue} 60% 92%)`,
        edge: `hsl(${hue} 50% 56%)` }
      : { fill: `hsl(${hue} ${68 - turn * 18}% ${80 - turn * 5}%)`, text: `hsl(${hue} 60% 18%)`,
        edge: `hsl(${hue} 48% 56%)` });
  }
}

// A canvas as sharp as the screen, cleared.
function prepare(target) {
  const [width, height] = [target.clientWidth, target.clientHeight];
  const ratio = devicePixelRatio || 1;
  const [inner, tall] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (target.width !== inner || target.height !== tall) {
    target.width = inner;
    target.height = tall;
  }
  const context = target.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.textBaseline = 'middle';
  return { context, width, height };
}

// Calls `paint` for the visible bars, with the begins of bar and call; of several within one pixel
// only for the first.
function eachInSight(row, paint) {
  const list = row.calls;
  const perPixel = (view.to - view.from) / plotWidth();
  let index = firstReaching(row, view.from);
  while (index < list.length && row.begin[index] <= view.to) {
    const call = list[index];
    const left = Math.max(xOf(row.begin[index]), gutter - 4);
    const right = Math.min(xOf(end[call]), view.width + 4);
    paint(call, left, Math.max(right - left, 1), Math.max(xOf(start[call]), left));
    index = right - left > 1.5
      ? index + 1 : firstReaching(row, timeAt(left) + perPixel, index + 1);
  }
}

function characterWidth(context) {
  context.font = `12px ${theme.font}`;
  return context.measureText('in closure #1 Model.update(_:)').width / 30;
}

// Text with an ellipsis in its middle where there is not enough room: ends tell names apart.
function fitted(text, room) {
  const kept = Math.max(Math.floor(room / theme.characterWidth) - 1, 0);
  if (text.length <= kept + 1) return text;
  const tail = Math.floor(kept / 2);
  return `${text.slice(0, kept - tail)}…${text.slice(text.length - tail)}`;
}

// The time before a call: for which its block waited and, in a task's lane, its task was suspended.
function paintWait(context, call, left, top, right) {
  const { fill, edge } = theme.blocks[calls.subject[call]];
  const alpha = context.globalAlpha;
  const sent = isQueued(call) ? Math.min(Math.max(xOf(sentAt(call)), left), right) : right;
  context.globalAlpha = alpha * 0.38;
  context.fillStyle = fill;
  context.fillRect(sent, top, right - sent, rowHeight - 2);
  context.fillStyle = edge;
  context.fillRect(sent, top + rowHeight - 4, right - sent, 2);
  context.fillRect(left, top + rowHeight / 2 - 2, sent - left, 2);
  context.globalAlpha = alpha;
}

function paintCall(context, call, left, top, whole, begin) {
  const colours = theme.blocks[calls.subject[call]];
  const height = rowHeight - 2;
  const { outcome } = endingOf(call);
  if (begin > left + 0.5) paintWait(context, call, left, top, Math.min(begin, left + whole));
  if (!hasStarted[calls.ending[call]]) {
    context.fillStyle = theme.warn;
    context.fillRect(Math.max(left + whole - 2, left), top, 2, height);
    return;
  }
  const x = Math.min(begin, left + whole - 1);
  const width = left + whole - x;
  const body = width > 4 ? width - 1 : width;
  if (outcome === 'replaced' && width > 6) {
    context.strokeStyle = colours.edge;
    context.setLineDash([3, 2]);
    context.strokeRect(x + 0.5, top + 0.5, body - 1, height - 1);
    context.setLineDash([]);
  } else {
    context.fillStyle = width > 2 ? colours.fill : colours.edge;
    context.fillRect(x, top, body, height);
  }
  if (outcome === 'unfinished') {
    context.fillStyle = theme.warn;
    context.fillRect(x + Math.max(body - 4, 0), top, Math.min(body, 4), height);
  }
  if (width < 26) return;
  context.fillStyle = outcome === 'replaced' ? theme.text : colours.text;
  const inset = Math.max(x, gutter) + 6;
  const room = x + width - inset - 5;
  if (room < 3 * theme.characterWidth) return;
  const label = fitted(subjects[calls.subject[call]].name, room);
  context.fillText(label, inset, top + height / 2 + 0.5, room);
}

// Failures are visible at every scale.
function paintFailure(context, left, top, width) {
  context.fillStyle = theme.bad;
  const thickness = width < 6 ? 7 : 3;
  context.fillRect(left, top + rowHeight - 2 - thickness, Math.max(width - 1, 2), thickness);
}

function outline(context, call, colour, thickness) {
  const lane = view.set.lanes[view.set.laneOf[call]];
  if (!view.set.shown.includes(lane)) return;
  const left = Math.max(xOf(start[call]), gutter - 4);
  const right = Math.min(xOf(end[call]), view.width + 4);
  if (right < gutter || left > view.width) return;
  context.strokeStyle = colour;
  context.lineWidth = thickness;
  context.strokeRect(left - 0.5, rowTop(lane, view.set.rowOf[call]) - 0.5,
    Math.max(right - left, 3), rowHeight - 1);
  context.lineWidth = 1;
}

function paintAxis(context, step) {
  const [unit, size] = unitOf(Math.max(view.to, step));
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  context.fillStyle = theme.panel;
  context.fillRect(0, 0, view.width, axisHeight);
  context.fillStyle = theme.muted;
  context.fillText(view.set.title, 14, axisHeight / 2);
  for (let tick = Math.ceil(view.from / step); tick * step <= view.to; tick += 1) {
    const x = Math.round(xOf(tick * step)) + 0.5;
    context.fillStyle = theme.line;
    context.fillRect(x - 0.5, axisHeight - 5, 1, 5);
    context.fillStyle = theme.muted;
    const value = formatCount(tick * step / size, tick === 0 ? 0 : digits);
    const label = `${value} ${unit}`;
    if (x + 5 + context.measureText(label).width < view.width) {
      context.fillText(label, x + 5, axisHeight / 2);
    }
  }
  context.fillStyle = theme.line;
  context.fillRect(0, axisHeight - 1, view.width, 1);
}

function paintLane(context, lane) {
  const top = axisHeight + lane.top - view.top;
  const dimmed = filter.isActive ? 0.2 : 1;
  lane.rows.forEach((row, depth) => {
    const rowY = rowTop(lane, depth);
    if (rowY < axisHeight - rowHeight || rowY > view.height) return;
    context.globalAlpha = dimmed;
    eachInSight(row, (call, left, width, begin) =>
      paintCall(context, call, left, rowY, width, begin));
    if (row.threw) eachInSight(row.threw, (call, left, width, begin) =>
      paintFailure(context, begin, rowY, left + width - begin));
    if (!filter.isActive) return;
    context.globalAlpha = 1;
    eachInSight(row.matching, (call, left, width, begin) => {
      paintCall(context, call, left, rowY, Math.max(width, 2), begin);
      if (hasThrown[calls.ending[call]]) paintFailure(context, begin, rowY, left + width - begin);
    });
  });
  context.globalAlpha = 1;
  if (lane.curve?.most > 0) paintCurve(context, lane, top + lane.height - 1);
  context.fillStyle = theme.line;
  context.fillRect(0, top + lane.height - 1, view.width, 1);
}

function paintGutter(context) {
  context.fillStyle = theme.panel;
  context.fillRect(0, axisHeight, gutter, view.height);
  const room = gutter - 22;
  for (const lane of lanesInSight()) {
    const top = axisHeight + lane.top - view.top;
    context.fillStyle = theme.text;
    context.font = `600 12px ${theme.font}`;
    context.fillText(fitted(lane.name, room * 0.82), 14, top + 14, room);
    context.fillStyle = theme.muted;
    context.font = `11px ${theme.font}`;
    context.fillText(fitted(view.set.describe(lane), room), 14, top + 28, room);
    if (lane.curve?.most > 0) {
      const text = `${formatCount(lane.curve.most)} waited at most`;
      context.fillText(text, 14, top + lane.height - curveHeight / 2, room);
    }
    context.fillStyle = theme.line;
    context.fillRect(0, top + lane.height - 1, gutter, 1);
  }
  context.fillRect(gutter - 1, 0, 1, view.height);
}

function paintScrollBar(context) {
  const hidden = view.contentHeight - plotHeight();
  if (hidden <= 0) return;
  const size = Math.max(plotHeight() ** 2 / view.contentHeight, 24);
  const top = axisHeight + view.top / hidden * (plotHeight() - size);
  context.globalAlpha = 0.4;
  context.fillStyle = theme.muted;
  context.fillRect(view.width - 7, top + 2, 4, size - 4);
  context.globalAlpha = 1;
}

function paintLanes() {
  const { context, width, height } = prepare(canvas);
  [view.width, view.height] = [width, height];
  theme.characterWidth ??= characterWidth(context);
  const step = tickStep(view.to - view.from, plotWidth() / 110);
  context.fillStyle = theme['line-soft'];
  for (let tick = Math.ceil(view.from / step); tick * step <= view.to; tick += 1) {
    context.fillRect(Math.round(xOf(tick * step)), axisHeight, 1, height);
  }
  context.font = `11.5px ${theme.font}`;
  for (const lane of lanesInSight()) paintLane(context, lane);
  paintArrows(context);
  if (view.hovered >= 0) outline(context, view.hovered, theme.text, 1);
  if (view.selected >= 0) outline(context, view.selected, theme.accent, 2.5);
  paintGutter(context);
  context.font = `11.5px ${theme.font}`;
  paintAxis(context, step);
  context.fillStyle = theme.line;
  context.fillRect(gutter - 1, 0, 1, height);
  paintScrollBar(context);
}

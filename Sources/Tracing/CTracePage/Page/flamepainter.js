// The part of the stacks that is shown: the weight, the frame that is as wide as the view, and the
// frames in sight with their places.
const flameView = { weight: 'own', frame: 0, hovered: -1, boxes: [], lit: null, version: -1 };

const flameSums = () => flames().sums[flameView.weight];
const flameWeights = { own: 'own time', wait: 'wait' };

// Frames in which there are matching calls, or whose name the search has.
function litFrames() {
  if (!filter.isActive) return null;
  if (flameView.version !== filter.version) {
    const { frames, frameOf } = flames();
    const words = filter.search.toLowerCase();
    flameView.lit = Uint8Array.from(frames, ({ name, subject }) =>
      (words !== '' && subject < 0 && name.toLowerCase().includes(words) ? 1 : 0));
    for (let call = 0; call < callCount; call += 1) {
      if (filter.matches[call]) flameView.lit[frameOf[call]] = 1;
    }
    flameView.version = filter.version;
  }
  return flameView.lit;
}

// The frames that are at least half a pixel wide, from the top: those around the shown one are as
// wide as it.
function placeFrames() {
  const { frames } = flames();
  const sums = flameSums();
  const path = flames().path(flameView.frame);
  const boxes = path.map((number) => ({ number, left: 0, width: view.width }));
  const scale = view.width / Math.max(sums[flameView.frame], 1);
  for (let index = path.length - 1; index < boxes.length; index += 1) {
    let { left } = boxes[index];
    const shown = frames[boxes[index].number].inside.filter((number) => sums[number] * scale >= 0.5)
      .sort((one, other) => sums[other] - sums[one] || one - other);
    for (const number of shown) {
      const width = sums[number] * scale;
      boxes.push({ number, left, width });
      left += width;
    }
  }
  flameView.boxes = boxes;
  const rows = boxes.reduce((most, { number }) => Math.max(most, frames[number].row + 1), 1);
  view.contentHeight = rows * rowHeight + 2 * laneMargin;
}

const flameTop = (number) =>
  axisHeight + laneMargin + flames().frames[number].row * rowHeight - view.top;

function paintFrame(context, { number, left, width }, isAround) {
  const { name, subject } = flames().frames[number];
  const top = flameTop(number);
  if (top + rowHeight < axisHeight || top > view.height) return;
  const lit = litFrames();
  context.globalAlpha = (lit && !lit[number] ? 0.3 : 1) * (isAround ? 0.55 : 1);
  const colours = theme.blocks[subject] ?? { fill: theme.line, text: theme.text };
  context.fillStyle = colours.fill;
  context.fillRect(left, top, Math.max(width - (width > 3 ? 1 : 0), 0.5), rowHeight - 2);
  const room = width - 11;
  if (room < 3 * theme.characterWidth) return;
  context.fillStyle = colours.text;
  context.fillText(fitted(name, room), left + 6, top + rowHeight / 2 - 0.5, room);
}

function outlineFrame(context, number, colour, thickness) {
  const box = flameView.boxes.find((each) => each.number === number);
  if (!box) return;
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = thickness;
  context.strokeRect(box.left + 0.5, flameTop(number) - 0.5, Math.max(box.width - 2, 1), rowHeight - 1);
  context.lineWidth = 1;
}

function paintFlames() {
  const { context, width, height } = prepare(canvas);
  [view.width, view.height] = [width, height];
  theme.characterWidth ??= characterWidth(context);
  placeFrames();
  view.top = Math.max(0, Math.min(view.top, view.contentHeight - plotHeight()));
  context.font = `11.5px ${theme.font}`;
  const { row } = flames().frames[flameView.frame];
  for (const box of flameView.boxes) {
    paintFrame(context, box, flames().frames[box.number].row < row);
  }
  if (flameView.hovered >= 0) outlineFrame(context, flameView.hovered, theme.text, 1);
  if (flameView.frame > 0) outlineFrame(context, flameView.frame, theme.accent, 2);
  context.globalAlpha = 1;
  context.fillStyle = theme.panel;
  context.fillRect(0, 0, width, axisHeight);
  context.fillStyle = theme.muted;
  const text = `${plural(flames().frames.length - 1, 'stack')}, by ${flameWeights[flameView.weight]}`;
  context.fillText(text, 14, axisHeight / 2, width - 28);
  context.fillStyle = theme.line;
  context.fillRect(0, axisHeight - 1, width, 1);
  paintScrollBar(context);
}

// The frame at a place of the view, -1 if there is none.
function frameAt(x, y) {
  if (y < axisHeight) return -1;
  const row = Math.floor((y - axisHeight - laneMargin + view.top) / rowHeight);
  const { frames } = flames();
  return flameView.boxes.find(({ number, left, width }) => frames[number].row === row
    && x >= left && x < left + Math.max(width, 1))?.number ?? -1;
}

// Makes a frame as wide as the view.
function showFrame(number) {
  flameView.frame = number < 0 ? 0 : number;
  const top = flameTop(flameView.frame) + view.top - axisHeight;
  if (top < view.top || top + rowHeight > view.top + plotHeight()) view.top = top - laneMargin;
  fillDetails();
  changed();
}

// Goes to the widest frame inside, to the one around, or to the next one beside the shown one.
function stepInFlames(way) {
  const { frames } = flames();
  const sums = flameSums();
  const inOrder = (number) => frames[number].inside.filter((each) => sums[each] > 0)
    .sort((one, other) => sums[other] - sums[one] || one - other);
  const { frame } = flameView;
  if (way === 'in') return showFrame(inOrder(frame)[0] ?? frame);
  if (way === 'out') return showFrame(frames[frame].around);
  const beside = inOrder(frames[frame].around);
  return showFrame(beside[beside.indexOf(frame) + way] ?? frame);
}

// Goes to the next or the previous frame that matches and has a weight.
function stepToLit(way) {
  const [lit, sums] = [litFrames(), flameSums()];
  if (!lit) return;
  for (let steps = 1; steps <= lit.length; steps += 1) {
    const number = (flameView.frame + way * steps + 2 * lit.length) % lit.length;
    if (number > 0 && lit[number] && sums[number] > 0) {
      showFrame(number);
      return;
    }
  }
}

function chooseWeight(weight) {
  flameView.weight = weight;
  choiceChanged();
  fillDetails();
}

const shareText = (weight, whole) => `${formatCount(whole > 0 ? weight / whole * 100 : 0, 1)} %`;

function hoverFrame(number, { clientX: x, clientY: y }) {
  if (number !== flameView.hovered) changed();
  flameView.hovered = number;
  if (number < 0) return hideTip();
  const { name, calls: count } = flames().frames[number];
  const sums = flameSums();
  const own = flames().frames[number][flameView.weight];
  return showTip(x, y, make('strong', { textContent: name }), make('span', {
    textContent: `${formatTime(sums[number])}, ${shareText(sums[number], sums[0])} · itself `
      + `${formatTime(own)}${count > 0 ? ` · ${plural(count, 'call')}` : ''}`,
  }));
}

// The details of the shown frame.
function fillFrameDetails() {
  const { frames, sums } = flames();
  const number = flameView.frame;
  const frame = frames[number];
  const list = make('dl');
  const add = (name, value) => list.append(make('dt', {}, name), make('dd', {}, value));
  for (const [weight, title, own] of [['own', 'Time', 'Own time'], ['wait', 'Waits', 'Own waits']]) {
    add(title, `${formatTime(sums[weight][number])}, ${shareText(sums[weight][number], sums[weight][0])}`);
    add(own, formatTime(frame[weight]));
  }
  if (frame.calls > 0) add('Calls', formatCount(frame.calls));
  if (number > 0) {
    add('Stack', linesOf(flames().path(number).slice(1).reverse().map((each) => frames[each].name)));
  }
  const subject = subjects[frame.subject];
  const buttons = make('div', { className: 'buttons' });
  if (number > 0) buttons.append(make('button', { textContent: 'Show all', onclick: () => showFrame(0) }));
  if (subject) {
    add('Function', subject.title);
    if (subject.location) add('Written at', subject.location);
    add('Image', subject.image ?? 'none');
    buttons.append(blockButton(subject));
  }
  element('details').replaceChildren(
    make('h2', { textContent: number > 0 ? frame.name : 'All stacks' }), buttons, list);
}

// An element with properties and children; strings become text.
function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const columns = [
  { key: 'name', title: 'Block', value: (subject) => subject.name.toLowerCase() },
  { key: 'calls', title: 'Calls', value: (subject) => subject.calls },
  { key: 'total', title: 'Total', value: (subject) => subject.total },
  { key: 'mean', title: 'Mean', value: (subject) => subject.mean },
  { key: 'max', title: 'Max', value: (subject) => subject.max },
  { key: 'threw', title: 'Threw', value: (subject) => subject.threw },
];
const rowLimit = 500;

function sortedSubjects() {
  const { value } = columns.find(({ key }) => key === view.sort);
  const way = view.isAscending ? 1 : -1;
  return [...subjects].sort((one, other) => {
    const [left, right] = [value(one), value(other)];
    return left === right ? one.rank - other.rank : left < right ? -way : way;
  });
}

function fillTable() {
  element('columns').replaceChildren(...columns.map(({ key, title }) => {
    const heading = make('th', { scope: 'col' }, make('button', {
      textContent: title, onclick: () => sortBy(key),
    }));
    if (key === view.sort) heading.ariaSort = view.isAscending ? 'ascending' : 'descending';
    return heading;
  }));
  const whole = subjects.reduce((most, { total }) => Math.max(most, total), 1);
  element('rows').replaceChildren(...sortedSubjects().slice(0, rowLimit).map((subject) => {
    const colour = theme.blocks[subject.number].edge;
    const swatch = make('span', { className: 'swatch' });
    swatch.style.background = colour;
    const share = make('span', { className: 'share' });
    share.style.width = `${Math.max(subject.total / whole * 100, 1)}%`;
    share.style.background = colour;
    const row = make('tr', { tabIndex: 0, onclick: () => chooseBlock(subject.number) },
      make('td', { title: `${subject.title}\n${subject.image ?? ''}\n${subject.signature}` },
        swatch, subject.name, make('small', { textContent: subject.file })),
      make('td', { textContent: formatCount(subject.calls) }),
      make('td', {}, formatTime(subject.total), share),
      make('td', { textContent: formatTime(subject.mean) }),
      make('td', { textContent: formatTime(subject.max) }),
      make('td', {
        textContent: subject.threw ? formatCount(subject.threw) : '–',
        className: subject.threw ? 'bad' : '',
      }));
    row.dataset.block = subject.number;
    row.ariaSelected = String(filter.block === subject.number);
    row.onkeydown = (event) => {
      if (event.key === 'Enter') chooseBlock(subject.number);
    };
    return row;
  }));
  const rest = subjects.length - rowLimit;
  element('more').hidden = rest <= 0;
  element('more').textContent = `${plural(rest, 'block')} more; sort to see others.`;
}

function fillHeading() {
  document.title = trace.title;
  element('title').textContent = trace.title;
  const first = [plural(callCount, 'call'), plural(subjects.length, 'block'),
    plural(lanes.length, 'thread')];
  if (callCount > 0) first.push(formatTime(traceEnd));
  element('summary').textContent = first.join(' · ');
  element('notice').hidden = trace.unshown === 0;
  element('notice').textContent =
    `${plural(trace.unshown, 'later call')} beyond the page's limit: not shown, not summed up.`;
  element('empty').hidden = callCount > 0;
  element('unfinished').hidden = !trace.texts.includes('unfinished') || !calls.outcome
    .some((outcome) => trace.texts[outcome] === 'unfinished');
}

// The outcome of a call, in words.
function outcomeText(call) {
  const error = calls.error[call];
  return error < 0 ? outcomeOf(call) : `${outcomeOf(call)} ${trace.texts[error]}`;
}

function fillDetails() {
  const details = element('details');
  const call = view.selected;
  if (call < 0) {
    const key = (name) => make('kbd', { textContent: name });
    details.replaceChildren(make('h2', { textContent: 'No call selected' }),
      make('p', {}, 'Click a call to see its arguments and its result, or a block in the '
        + 'table to see only its calls.'),
      make('dl', {},
        make('dt', {}, key('+'), ' ', key('−')), make('dd', {}, 'zoom; so does the wheel'),
        make('dt', {}, key('←'), ' ', key('→')), make('dd', {}, 'move; so does dragging'),
        make('dt', {}, key('↑'), ' ', key('↓')),
        make('dd', {}, 'scroll; so does Shift with the wheel'),
        make('dt', {}, key('0')),
        make('dd', {}, 'show everything; so does a double click beside the calls'),
        make('dt', {}, key('/')),
        make('dd', {}, 'search; ', key('Enter'), ' for the next match'),
        make('dt', {}, key('Esc')), make('dd', {}, 'clear search, filter and selection')));
    return;
  }
  const subject = subjects[calls.subject[call]];
  const lane = lanes[calls.lane[call]];
  const list = make('dl');
  const add = (name, value, properties = {}) => {
    list.append(make('dt', {}, name), make('dd', properties, value));
  };
  const values = argumentsOf(call);
  add('Arguments', values.length === 0 ? 'none' : make('ol', {}, ...values.map((value) =>
    make('li', { textContent: value }))));
  const result = calls.result[call];
  add('Result', result < 0 ? 'none' : make('code', { textContent: trace.texts[result] }));
  add('Outcome', outcomeText(call), { className: calls.error[call] >= 0 ? 'bad' : '' });
  const exact = calls.duration[call] < 1000 ? '' : ` (${formatCount(calls.duration[call])} ns)`;
  add('Duration', formatTime(calls.duration[call]) + exact);
  add('Start', formatTime(start[call]));
  add('Thread', `${lane.name} (${lane.thread})`);
  add('Depth', formatCount(calls.depth[call]));
  add('Number', formatCount(calls.sequence[call]));
  add('Function', subject.title);
  add('Signature', make('code', { textContent: subject.signature }));
  add('Image', subject.image ?? 'none');
  const isChosen = filter.block === subject.number;
  details.replaceChildren(make('h2', { textContent: subject.name }),
    make('div', { className: 'buttons' },
      make('button', { textContent: 'Zoom to call', onclick: () => fitCall(call) }),
      make('button', {
        textContent: isChosen ? 'All blocks' : 'Only this block',
        onclick: () => chooseBlock(subject.number),
      })), list);
}

function fillTip(call, x, y) {
  const tip = element('tip');
  tip.hidden = call < 0;
  canvas.classList.toggle('over', call >= 0);
  if (call < 0) return;
  const subject = subjects[calls.subject[call]];
  const result = calls.result[call];
  const text = argumentsOf(call).join(', ');
  const isBad = calls.error[call] >= 0;
  tip.replaceChildren(make('strong', { textContent: subject.name }),
    make('code', { textContent: `(${text})${result < 0 ? '' : ` = ${trace.texts[result]}`}` }),
    make('span', { textContent: `${formatTime(calls.duration[call])} · ` }),
    make('span', { textContent: outcomeText(call), className: isBad ? 'bad' : '' }));
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${y + 20 + height > innerHeight ? y - height - 12 : y + 18}px`;
}

// The number of hits beside the search, the span under the timeline, and both for scripts.
function fillStatus() {
  let inSight = 0;
  for (const lane of lanes) {
    for (const row of lane.rows) {
      inSight += Math.max(0,
        firstStartingAfter(row.matching, view.to) - firstReaching(row.matching, view.from));
    }
  }
  const hits = element('hits');
  hits.textContent = filter.isActive
    ? `${formatCount(filter.count)} of ${formatCount(callCount)}` : '';
  hits.classList.toggle('none', filter.isActive && filter.count === 0);
  element('previous').disabled = element('next').disabled =
    !filter.isActive || filter.count === 0;
  element('range').textContent = callCount === 0 ? '' : `${plural(inSight, 'call')} in `
    + `${formatTime(view.to - view.from)}, from ${formatTime(view.from)}`;
  Object.assign(document.documentElement.dataset, {
    calls: callCount, visible: inSight, hits: filter.count, selected: view.selected,
    from: Math.round(view.from), to: Math.round(view.to), block: filter.block,
  });
}

// The outcome of a call, in words.
function outcomeText(call) {
  const { outcome, error } = endingOf(call);
  return error < 0 ? outcome : `${outcome} ${trace.texts[error]}`;
}

const queueText = (number) => {
  const queue = trace.queues[number];
  const kind = queue.serial === null ? [] : [queue.serial ? 'serial' : 'concurrent'];
  const target = queue.target ? [`runs on ${queue.target}`] : [];
  const words = [...kind, ...(queue.qos ? [queue.qos] : []), ...target].join(', ');
  return `${queue.label || '(no label)'}${words ? ` (${words})` : ''}`;
};

const linesOf = (texts) =>
  make('ol', {}, ...texts.map((text) => make('li', { textContent: text })));

const suspensionTexts = {
  task: 'awaited a task', group: 'awaited a task group', continuation: 'awaited a continuation',
  executor: 'went on elsewhere', suspended: 'was suspended', left: 'left the thread',
  replaced: 'left to another task',
};

// Shows only the calls of a block, or again all.
const blockButton = ({ number }) => make('button', {
  textContent: filter.block === number ? 'All blocks' : 'Only this block',
  onclick: () => choose('block', number),
});

// Adds who made a call, or how it came to its queue.
function addSubmission(call, add) {
  const sending = sendingOf(call);
  if (calls.queue[call] >= 0) add('Queue', queueText(calls.queue[call]));
  const callers = callersOf(call) < 0 ? [] : textsOf(callersOf(call));
  if (!sending) {
    if (callers.length > 0) add('Called by', linesOf(callers));
    return;
  }
  if (sending.queue >= 0 && sending.queue !== calls.queue[call]) {
    add('Sent to', queueText(sending.queue));
  }
  add('Sent by', callers.length > 0 ? linesOf(callers) : 'unknown');
  const sender = trace.lanes[calls.sender[call]];
  const sent = calls.waited[call] < 0 ? '' : ` at ${formatTime(sentAt(call))}`;
  add('Sent', `${sending.function}${sent} on ${sender.name || 'thread'} (${sender.thread})`);
  if (calls.waited[call] < 0) return;
  const way = sending.delayed ? ', as the program asked for' : '';
  add('Waited', formatTime(calls.waited[call]) + way);
  if (sending.delayed) return;
  const obstacle = obstacleOf(call, sending.queue);
  if (obstacle >= 0) {
    add('Behind', make('button', {
      textContent: `${subjects[calls.subject[obstacle]].name} (${formatTime(calls.duration[obstacle])})`,
      onclick: () => {
        select(obstacle);
        reveal(obstacle);
      },
    }));
  }
}

// The longest call that a serial queue made while a block waited there; -1 if there is none.
function obstacleOf(call, queue) {
  if (queue < 0 || !trace.queues[queue].serial) return -1;
  const [from, until] = [sentAt(call), start[call]];
  let longest = -1;
  for (let other = 0; other < callCount; other += 1) {
    const sending = sendingOf(other);
    if (!sending || sending.queue !== queue || !hasStarted[calls.ending[other]]) continue;
    const end = start[other] + calls.duration[other];
    if (end <= from || end > until) continue;
    if (longest < 0 || calls.duration[other] > calls.duration[longest]) longest = other;
  }
  return longest;
}

function parentText({ process, parent }) {
  const name = trace.tasks.find((task) => task.process === process && task.number === parent)?.name;
  return `${formatCount(parent)}${name ? ` (${name})` : ''}`;
}

function addTask(call, add) {
  const task = trace.tasks[calls.task[call]];
  if (!task) return;
  add('Task', words(formatCount(task.number), task.name, task.priority,
    task.parent === null ? '' : `child of ${parentText(task)}`));
  const creators = textsOf(task.creators);
  if (creators.length > 0) add('Created by', linesOf(creators));
  const { suspension } = endingOf(call);
  if (suspension) add('Then it', suspensionTexts[suspension] ?? suspension);
  if (isSuspended[calls.ending[call]]) add('Suspended', formatTime(calls.waited[call]));
}

function fillDetails() {
  if (isFlames()) return fillFrameDetails();
  const details = element('details');
  const call = view.selected;
  if (call < 0) {
    const key = (name) => make('kbd', { textContent: name });
    const help = (names, ...words) =>
      [make('dt', {}, ...names.split(' ').flatMap((name) => [key(name), ' '])), make('dd', {}, ...words)];
    details.replaceChildren(make('h2', { textContent: 'No call selected' }),
      make('p', {}, 'Click a call to see its arguments and its result, or a block in the '
        + 'table to see only its calls.'),
      make('dl', {},
        ...help('+ −', 'zoom; so does the wheel'),
        ...help('← →', 'move; so does dragging'),
        ...help('↑ ↓', 'scroll; so does Shift with the wheel'),
        ...help('1 2 3', 'lanes of threads, queues, tasks'),
        ...help('4 w', 'stacks of all calls by own time, and by wait'),
        ...help('0', 'show everything; so does a double click beside the calls'),
        ...help('/', 'search; ', key('Enter'), ' for the next match'),
        ...help('Esc', 'clear search, filter and selection')));
    return;
  }
  const subject = subjects[calls.subject[call]];
  const lane = trace.lanes[calls.lane[call]];
  const list = make('dl');
  const add = (name, value, properties = {}) => {
    list.append(make('dt', {}, name), make('dd', properties, value));
  };
  const values = argumentsOf(call);
  const didStart = hasStarted[calls.ending[call]];
  if (didStart) {
    add('Arguments', values.length === 0 ? 'none' : linesOf(values));
    const result = calls.result[call];
    add('Result', result < 0 ? 'none' : make('code', { textContent: trace.texts[result] }));
  }
  add('Outcome', outcomeText(call), { className: hasThrown[calls.ending[call]] ? 'bad' : '' });
  if (didStart) {
    const exact = calls.duration[call] < 1000 ? '' : ` (${formatCount(calls.duration[call])} ns)`;
    add('Duration', formatTime(calls.duration[call]) + exact);
    add('Start', formatTime(start[call]));
    add('Thread', `${lane.name || 'thread'} (${lane.thread})`);
  }
  if (areSeveralProcesses) add('Process', processText(subject.process));
  addSubmission(call, add);
  addTask(call, add);
  add('Depth', formatCount(calls.depth[call]));
  add('Number', formatCount(calls.sequence[call]));
  add('Function', subject.title);
  add('Signature', make('code', { textContent: subject.signature }));
  if (subject.location) add('Written at', subject.location);
  add('Image', subject.image ?? 'none');
  details.replaceChildren(make('h2', { textContent: subject.name }),
    make('div', { className: 'buttons' },
      make('button', { textContent: 'Zoom to call', onclick: () => fitCall(call) }),
      blockButton(subject)), list);
}

// An element with properties and children; strings become text.
function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// Columns of numbers and of times; a value for which `isEmpty` holds is a dash.
const countColumn = (key, title, more = {}) =>
  ({ key, title, value: (item) => item[key], text: (item) => formatCount(item[key]), ...more });
const timeColumn = (key, title, more = {}) =>
  countColumn(key, title, { text: (item) => formatTime(item[key]), ...more });
// A column for items of which a number is not zero; it is there if there is such an item.
const ifAny = (key) => ({
  isShown: (items) => items.some((item) => item[key] > 0), isEmpty: (item) => item[key] === 0,
});
const waitColumns = [
  timeColumn('waitHalf', 'Wait p50', ifAny('waits')), timeColumn('waitMax', 'Wait max', ifAny('waits')),
];
const processColumn = {
  key: 'process', title: 'Process', isText: true, isShown: () => areSeveralProcesses,
  value: (item) => item.process, text: (item) => processText(item.process),
};
const unrunColumn = countColumn('unrun', 'Not run', ifAny('unrun'));

const tables = {
  blocks: {
    title: 'Blocks', noun: 'block', filter: 'block',
    make: () => addWaits(subjects, (call) => calls.subject[call]),
    describe: (item) => [item.name, item.file, `${item.title}\n${item.image ?? ''}\n${item.signature}`],
    columns: [
      processColumn, countColumn('calls', 'Calls'), timeColumn('total', 'Total', { isShare: true }),
      timeColumn('mean', 'Mean'), timeColumn('max', 'Max'), ...waitColumns, unrunColumn,
      countColumn('threw', 'Threw', { ...ifAny('threw'), isBad: true }),
    ],
  },
  queues: {
    title: 'Queues', noun: 'queue', filter: 'queue', make: () => lanesOf('queues', queueOf),
    describe: (lane) => [lane.name, words(kindOf(lane.item), lane.item.qos),
      lane.item.target ? `runs on ${lane.item.target}` : ''],
    columns: [
      processColumn, countColumn('calls', 'Blocks'), timeColumn('total', 'Total', { isShare: true }),
      timeColumn('max', 'Max'), ...waitColumns, countColumn('deepest', 'Deepest', {
        value: ({ curve }) => curve.most, text: ({ curve }) => formatCount(curve.most),
      }), unrunColumn,
    ],
  },
  tasks: {
    title: 'Tasks', noun: 'task', filter: 'task',
    make: () => lanesOf('tasks', (call) => (endingOf(call).part ? calls.task[call] : -1)),
    describe: (lane) => [lane.name, words(`task ${lane.item.number}`, lane.item.priority),
      textsOf(lane.item.creators).join('\n')],
    columns: [
      processColumn, countColumn('calls', 'Parts'), timeColumn('total', 'Ran', { isShare: true }),
      timeColumn('max', 'Max'), ...waitColumns, timeColumn('suspended', 'Suspended'),
    ],
  },
};
for (const table of Object.values(tables)) {
  table.columns.unshift({
    key: 'name', title: table.title.slice(0, -1), value: (item) => item.name.toLowerCase(),
  });
}

const lanesOf = (kind, itemOf) => addWaits(laneSet(kind).lanes, itemOf)
  .filter(({ calls: count, unrun }) => count + unrun > 0);

const shownTableName = () =>
  view.table ?? { queues: 'queues', tasks: 'tasks' }[view.lanes] ?? 'blocks';
const shownTable = () => tables[shownTableName()];
const rowLimit = 500;

function sortedItems(table, items) {
  const { value } = table.columns.find(({ key }) => key === view.sort) ?? table.columns[0];
  const way = view.isAscending ? 1 : -1;
  return [...items].sort((one, other) => {
    const [left, right] = [value(one), value(other)];
    return left === right ? one.number - other.number : left < right ? -way : way;
  });
}

function makeCell(column, item, whole) {
  const value = column.value(item);
  const isEmpty = column.isEmpty?.(item) ?? false;
  const cell = make('td', {
    textContent: isEmpty ? '–' : column.text(item),
    className: [column.isBad && !isEmpty ? 'bad' : '', column.isText ? 'words' : ''].join(' ').trim(),
  });
  if (column.isShare) {
    const share = make('span', { className: 'share' });
    share.style.width = `${Math.max(value / whole * 100, 1)}%`;
    share.style.background = item.colour;
    cell.append(share);
  }
  return cell;
}

function makeTableRow(table, columns, item, whole) {
  const [name, detail, title] = table.describe(item);
  item.colour = table === tables.blocks ? theme.blocks[item.number].edge : theme.accent;
  const swatch = make('span', { className: 'swatch' });
  swatch.style.background = item.colour;
  const row = make('tr', { tabIndex: 0, onclick: () => choose(table.filter, item.number) },
    make('td', { title }, ...(table === tables.blocks ? [swatch] : []), name,
      make('small', { textContent: detail })),
    ...columns.slice(1).map((column) => makeCell(column, item, whole)));
  row.dataset[table.filter] = item.number;
  row.ariaSelected = String(filter[table.filter] === item.number);
  row.onkeydown = (event) => {
    if (event.key === 'Enter') choose(table.filter, item.number);
  };
  return row;
}

function fillTable() {
  const table = shownTable();
  const items = table.items ??= table.make();
  const columns = table.columns.filter(({ isShown }) => isShown?.(items) ?? true);
  element('columns').replaceChildren(...columns.map(({ key, title, isText }) => {
    const heading = make('th', { scope: 'col' },
      make('button', { textContent: title, onclick: () => sortBy(key) }));
    if (isText) heading.classList.add('words');
    if (key === view.sort) heading.ariaSort = view.isAscending ? 'ascending' : 'descending';
    return heading;
  }));
  const whole = items.reduce((most, { total }) => Math.max(most, total), 1);
  element('rows').replaceChildren(...sortedItems(table, items).slice(0, rowLimit)
    .map((item) => makeTableRow(table, columns, item, whole)));
  const rest = items.length - rowLimit;
  element('more').hidden = rest <= 0;
  element('more').textContent = `${plural(rest, table.noun)} more; sort to see others.`;
}

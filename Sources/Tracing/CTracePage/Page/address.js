// The page's address has the settings that differ from the initial ones, so that it can be shared.
function readAddress() {
  const values = new URLSearchParams(location.hash.slice(1));
  const number = (name, otherwise) => {
    const value = Number.parseFloat(values.get(name));
    return Number.isFinite(value) ? value : otherwise;
  };
  filter.search = values.get('search') ?? '';
  const index = (name, count) => {
    const value = number(name, -1);
    return Number.isInteger(value) && value >= 0 && value < count ? value : -1;
  };
  filter.block = index('block', subjects.length);
  filter.queue = index('queue', trace.queues.length);
  filter.task = index('task', trace.tasks.length);
  view.selected = index('call', callCount);
  showLanes(values.get('lanes') ?? 'threads');
  flameView.weight = values.get('weight') === 'wait' ? 'wait' : 'own';
  flameView.frame = isFlames() ? Math.max(index('frame', flames().frames.length), 0) : 0;
  view.table = Object.hasOwn(tables, values.get('table') ?? '') ? values.get('table') : null;
  view.sort = shownTable().columns.find(({ key }) => key === values.get('sort'))?.key ?? 'total';
  view.isAscending = values.get('order') === 'ascending';
  applyFilter();
  show(number('from', 0), number('to', traceEnd));
}

let writing = 0;
function writeAddress() {
  clearTimeout(writing);
  // Browsers refuse too frequent changes of the address.
  writing = setTimeout(() => {
    const values = new URLSearchParams();
    if (view.to - view.from < traceEnd) {
      values.set('from', Math.round(view.from));
      values.set('to', Math.round(view.to));
    }
    if (filter.search) values.set('search', filter.search);
    for (const name of ['block', 'queue', 'task']) {
      if (filter[name] >= 0) values.set(name, filter[name]);
    }
    if (view.selected >= 0) values.set('call', view.selected);
    if (view.lanes !== 'threads') values.set('lanes', view.lanes);
    if (isFlames() && flameView.weight !== 'own') values.set('weight', flameView.weight);
    if (isFlames() && flameView.frame > 0) values.set('frame', flameView.frame);
    if (view.table) values.set('table', view.table);
    if (view.sort !== 'total') values.set('sort', view.sort);
    if (view.isAscending) values.set('order', 'ascending');
    const hash = values.toString();
    if (hash !== location.hash.slice(1)) {
      history.replaceState(null, '', hash ? `#${hash}` : location.pathname + location.search);
    }
  }, 250);
}

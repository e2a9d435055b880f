function fillHeading() {
  const when = traceDate === null ? []
    : [`${new Date(traceDate).toISOString().slice(0, 19).replace('T', ' ')} UTC`];
  if (callCount > 0) when.push(formatTime(traceEnd));
  document.title = [trace.title, ...when].join(' · ');
  element('title').textContent = trace.title;
  const first = [plural(callCount, 'call'), plural(subjects.length, 'block'),
    plural(trace.lanes.length, 'thread')];
  if (trace.queues.length > 0) first.push(plural(trace.queues.length, 'queue'));
  if (trace.tasks.length > 0) first.push(plural(trace.tasks.length, 'task'));
  if (areSeveralProcesses) first.push(plural(trace.processes.length, 'process', 'processes'));
  element('summary').textContent = [...first, ...when].join(' · ');
  element('notice').hidden = trace.unshown === 0;
  element('notice').textContent =
    `${plural(trace.unshown, 'later call')} beyond the page's limit: not shown, not summed up.`;
  element('empty').hidden = callCount > 0;
  element('unfinished').hidden = !trace.endings.some(({ outcome }) => outcome === 'unfinished');
}

// The buttons of the lanes and of the tables.
function fillChoices() {
  for (const [kind, { count }] of Object.entries(laneKinds)) {
    const button = element(`lanes-${kind}`);
    button.ariaPressed = String(view.lanes === kind);
    button.disabled = count === 0 && kind !== 'threads';
  }
  for (const name of Object.keys(tables)) {
    const button = element(`table-${name}`);
    button.ariaPressed = String(shownTableName() === name);
    button.hidden = name !== 'blocks' && laneKinds[name].count === 0;
  }
  element('waiting').hidden = view.lanes === 'threads';
  element('suspended').hidden = view.lanes !== 'tasks';
  element('weights').hidden = !isFlames();
  for (const weight of Object.keys(flameWeights)) {
    element(`weight-${weight}`).ariaPressed = String(isFlames() && flameView.weight === weight);
  }
  element('timeline').classList.toggle('flames', isFlames());
  element('arrow').hidden = view.lanes !== 'threads' || trace.sendings.length === 0;
}

function hideTip() {
  element('tip').hidden = true;
  canvas.classList.remove('over');
}

function showTip(x, y, ...contents) {
  const tip = element('tip');
  tip.hidden = false;
  canvas.classList.add('over');
  tip.replaceChildren(...contents);
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${y + 20 + height > innerHeight ? y - height - 12 : y + 18}px`;
}

function fillTip(call, x, y) {
  if (call < 0) return hideTip();
  const subject = subjects[calls.subject[call]];
  const result = calls.result[call];
  const text = argumentsOf(call).join(', ');
  const isBad = hasThrown[calls.ending[call]];
  const waited = calls.waited[call] < 0 ? '' : `waited ${formatTime(calls.waited[call])} · `;
  return showTip(x, y, make('strong', { textContent: subject.name }),
    make('code', { textContent: `(${text})${result < 0 ? '' : ` = ${trace.texts[result]}`}` }),
    make('span', { textContent: `${waited}${formatTime(calls.duration[call])} · ` }),
    make('span', { textContent: outcomeText(call), className: isBad ? 'bad' : '' }));
}

// The number of hits beside the search, the span under the timeline, and both for scripts.
function fillStatus() {
  const inSight = countInSight();
  const hits = element('hits');
  hits.textContent = filter.isActive
    ? `${formatCount(filter.count)} of ${formatCount(callCount)}` : '';
  hits.classList.toggle('none', filter.isActive && filter.count === 0);
  element('previous').disabled = element('next').disabled =
    !filter.isActive || filter.count === 0;
  const sums = isFlames() ? flameSums() : null;
  element('range').textContent = callCount === 0 ? ''
    : sums ? `${formatTime(sums[flameView.frame])} of ${formatTime(sums[0])}`
      : `${plural(inSight, 'call')} in ${formatTime(view.to - view.from)}, from ${formatTime(view.from)}`;
  Object.assign(document.documentElement.dataset, {
    calls: callCount, visible: inSight, hits: filter.count, selected: view.selected,
    from: Math.round(view.from), to: Math.round(view.to), block: filter.block,
    queue: filter.queue, task: filter.task, lanes: view.lanes, table: shownTableName(),
    arrows: view.arrowCount, frame: flameView.frame, weight: flameView.weight,
  });
}

// The numbers of calls and of matches that begin at each place, counted again only if they change.
let counted = { room: 0, version: -1 };
function overviewBins(room) {
  if (counted.room === room && counted.version === filter.version) return counted;
  const [bins, hits] = [new Float64Array(room + 1), new Float64Array(room + 1)];
  const scale = room / traceEnd;
  for (let call = 0; call < callCount; call += 1) {
    const bin = Math.min(Math.floor(start[call] * scale), room);
    bins[bin] += 1;
    if (filter.matches?.[call]) hits[bin] += 1;
  }
  const most = bins.reduce((most, count) => Math.max(most, count), 1);
  counted = { room, version: filter.version, bins, hits, most };
  return counted;
}

// The number of calls that begin at each place of the whole trace, and the shown part.
function paintOverview() {
  const { context, width, height } = prepare(overview);
  const room = Math.max(Math.floor(width - gutter), 1);
  const place = (time) => time / traceEnd * room;
  const { bins, hits, most } = overviewBins(room);
  const tall = (count) =>
    count === 0 ? 0 : Math.max(Math.sqrt(count / most) * (height - 10), 2);
  for (let bin = 0; bin <= room; bin += 1) {
    context.globalAlpha = filter.isActive ? 0.3 : 0.75;
    context.fillStyle = theme.muted;
    context.fillRect(gutter + bin, height - tall(bins[bin]), 1, tall(bins[bin]));
  }
  context.globalAlpha = 1;
  context.font = `11.5px ${theme.font}`;
  context.fillStyle = theme.muted;
  context.fillText('Calls', 14, height / 2 - 7);
  context.fillText(callCount > 0 ? formatTime(traceEnd) : 'none', 14, height / 2 + 8);
  const [left, right] = [gutter + place(view.from), gutter + place(view.to)];
  context.fillStyle = theme.panel;
  context.globalAlpha = 0.7;
  context.fillRect(gutter, 0, left - gutter, height);
  context.fillRect(right, 0, width - right, height);
  context.globalAlpha = 1;
  context.fillStyle = theme.accent;
  hits.forEach((count, bin) => {
    const size = count > 0 ? tall(count) + 3 : 0;
    context.fillRect(gutter + bin, height - size, 1.5, size);
  });
  if (view.to - view.from < traceEnd) {
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.5;
    context.strokeRect(left, 0.75, Math.max(right - left, 2), height - 1.5);
    context.lineWidth = 1;
  }
  context.fillStyle = theme.line;
  context.fillRect(gutter - 1, 0, 1, height);
}

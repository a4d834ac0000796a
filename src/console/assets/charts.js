// Draws the charts of the Overview from the series that the stream brings.

const KEEP = { hour: 720, day: 1440 };
const TRAFFIC = [
  { label: 'Sold', color: '--accent' },
  { label: 'Pending', color: '--line-2', dash: [6, 3] },
  { label: 'Failed', color: '--bad', dash: [2, 2] },
  { label: 'Refused', color: '--line-4', dash: [8, 2, 2, 2] },
  { label: 'Other', color: '--line-5', dash: [1, 3] },
];
const TIMES = [
  { label: 'Reply, half', color: '--accent' },
  { label: 'Reply, 99 %', color: '--accent', dash: [6, 3] },
  { label: 'v1, half', color: '--line-4' },
  { label: 'v1, 99 %', color: '--line-4', dash: [6, 3] },
];
const KINDS = {
  traffic: { lines: TRAFFIC, of: (point) => point.traffic, unit: '' },
  times: { lines: TIMES, of: (point) => point.times, unit: ' ms' },
};

const HEIGHT = 220;
let series;
let span = 'hour';
const charts = new Map();

/** `light-dark()` is worked out by the browser only where a colour is used. */
function resolved(name) {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function draw() {
  for (const place of document.querySelectorAll('[data-chart]')) {
    charts.get(place)?.destroy();
    const { lines, unit } = KINDS[place.dataset.chart];
    const grid = { stroke: resolved('--line'), width: 1 };
    const axis = { stroke: resolved('--soft'), grid, ticks: { show: false }, font: '12px system-ui, sans-serif' };
    const options = {
      width: place.clientWidth,
      height: HEIGHT,
      cursor: { y: false, points: { size: 6 } },
      hooks: { setCursor: [tellLatest], setData: [tellLatest], ready: [tellLatest] },
      scales: {
        x: { range: wholeSpan },
        y: { range: (_chart, _from, to) => [0, Math.max(1, to * 1.1)] },
      },
      axes: [
        { ...axis, values: (_chart, ticks) => ticks.map(clock) },
        { ...axis, size: 56, values: (_chart, ticks) => ticks.map((tick) => tick.toLocaleString('en-NG')) },
      ],
      series: [
        { label: 'At', value: (_chart, at) => (at === null ? '–' : clock(at)) },
        ...lines.map(({ label, color, dash }) => ({
          label,
          dash,
          stroke: resolved(color),
          width: 1.5,
          points: { show: false },
          spanGaps: true,
          value: (_chart, value) => (value === null || value === undefined ? '–' : `${value.toLocaleString('en-NG')}${unit}`),
        })),
      ],
    };
    charts.set(place, new uPlot(options, dataOf(place), place));
  }
  tellWaiting();
}

/** After a start there is nothing to draw yet. */
function tellWaiting() {
  document.getElementById('charts-wait').hidden = series[span].t.length > 1;
}

/** The legend shows the values under the cursor; without one the latest, where uPlot would show none. */
function tellLatest(chart) {
  const latest = chart.data[0].length - 1;
  if (chart.cursor.idx === null || chart.cursor.idx === undefined) chart.setLegend({ idx: latest < 0 ? null : latest }, false);
}

/** What a gateway that has just started has seen of it, and at least ten minutes, so that lines do not jump. */
function wholeSpan({ data: [times] }, from, to) {
  // Around a single point uPlot would draw years.
  const end = times.length > 1 ? to : (from ?? Date.now() / 1_000);
  return [Math.min(from ?? end, end - 600), end];
}

function dataOf(place) {
  const { t, [place.dataset.chart]: lines } = series[span];
  return t.length === 0 ? [[], ...lines.map(() => [])] : [t, ...lines];
}

/** In the zone of all times of the page, whatever that of the browser is. */
const wall = new Intl.DateTimeFormat('en-GB', {
  ...{ timeZone: document.documentElement.dataset.zone, hourCycle: 'h23' },
  ...{ hour: '2-digit', minute: '2-digit' },
});
const clock = (at) => wall.format(at * 1_000);

document.addEventListener('live:series', ({ detail }) => {
  series = detail;
  draw();
});

let minute = [];
document.addEventListener('live:point', ({ detail }) => {
  if (series === undefined) return;
  add(series.hour, detail, KEEP.hour);
  minute.push(detail);
  if (minute.length >= 12) {
    add(series.day, minuteOf(minute), KEEP.day);
    minute = [];
  }
  for (const [place, chart] of charts) chart.setData(dataOf(place));
  tellWaiting();
});

function add(into, point, max) {
  into.t.push(point.t);
  for (const [kind, { of }] of Object.entries(KINDS)) of(point).forEach((value, line) => into[kind][line].push(value));
  if (into.t.length <= max) return;
  into.t.shift();
  for (const kind of Object.keys(KINDS)) into[kind].forEach((line) => line.shift());
}

/** Good enough until the page is opened again: the server has the exact one. */
function minuteOf(points) {
  const mean = (values) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? null : Math.round((known.reduce((sum, value) => sum + value, 0) / known.length) * 10) / 10;
  };
  const last = points.at(-1);
  return {
    t: last.t,
    traffic: last.traffic.map((_, line) => mean(points.map(({ traffic }) => traffic[line]))),
    times: last.times.map((_, line) => mean(points.map(({ times }) => times[line]))),
  };
}

for (const button of document.querySelectorAll('[data-span]')) {
  button.addEventListener('click', () => {
    span = button.dataset.span;
    for (const other of document.querySelectorAll('[data-span]')) other.setAttribute('aria-pressed', String(other === button));
    if (series !== undefined) draw();
  });
}

document.addEventListener('theme', () => series !== undefined && draw());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => series !== undefined && draw());
let resizing;
addEventListener('resize', () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => series !== undefined && draw(), 150);
});

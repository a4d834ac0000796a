/** The parts of the Overview. Each has an id, by which the stream replaces it. */
import { kobo, type AmountMinor } from '../../domain/amount';
import type { Order } from '../../domain/order';
import { callerName, callerTitle } from '../../mapping/caller-name';
import type { Mapping } from '../../mapping/mapping';
import type { RefusedNote } from '../../orders/note';
import { moneyOf } from '../../orders/order-money';
import { addTimes, quantile, type Sample, type Tally } from '../../telemetry/samples';
import {
  minuteOf,
  ageWords,
  ago,
  badge,
  count,
  definitions,
  empty,
  figure,
  naira,
  nairaWords,
  notice,
  section,
  table,
  time,
  type Tone,
} from '../components';
import type { ConsoleParts } from '../console-parts';
import { html, type Html } from '../html';
import { healthPart, overdueWords } from './health';
import { GROUPS, groupsOf, type Group, type Groups } from './outcome-groups';
import { total, type Overview } from './read-overview';

/** All parts that the stream replaces while the page is open. */
export function livingParts(parts: ConsoleParts, seen: Overview): readonly Html[] {
  return [
    healthPart(seen.checks, parts.alarms.active(), seen.nowMs, (fingerprint) => callerName(parts.live.current(), fingerprint)),
    figuresPart(parts, seen),
    openOrdersPart(parts, seen),
    v1Part(seen.health),
    operationsPart(parts, seen),
    refusedPart(parts, seen),
    callersPart(parts, seen),
    inForcePart(parts, seen),
  ];
}

function figuresPart(parts: ConsoleParts, seen: Overview): Html {
  const { hour, openOrders } = seen;
  const done = groupsOf(...Object.values(hour.byOperation));
  const span = spanWords(parts, seen);
  return html`<div id="figures" class="card figures">
    ${figure('Requests a minute', rate(hour.requestsPerMinute), `${count(hour.inFlight)} under way`)}
    ${figure('Sold', count(done.sold), span)} ${figure('Refused or failed', count(done.refused + done.failed), span)}
    ${figure('Money at risk', nairaWords(kobo(Math.round(openOrders.naira * 100))), `${openOrders.count === 1 ? '1 open order' : `${count(openOrders.count)} open orders`}${openOrders.areAllPriced ? '' : ', not all prices known'}`)}
    ${timesFigure('Reply within', hour.request)} ${timesFigure('v1 within', hour.v1)}
  </div>`;
}

function timesFigure(label: string, { p50, p99 }: Overview['hour']['request']): Html {
  return figure(label, seconds(p99), p50 === undefined ? 'nothing yet' : `for 99 %, half in ${seconds(p50)}`);
}

const HOUR_MS = 3_600_000;

/** The counts are in memory, so a gateway that has just started has none from before its start. */
function spanWords({ facts }: ConsoleParts, { nowMs }: Overview): string {
  return nowMs - facts.startedAtMs < HOUR_MS ? 'since the start' : 'in the last hour';
}

function rate(perMinute: number): string {
  return perMinute > 0 && perMinute < 10 ? perMinute.toFixed(1) : count(Math.round(perMinute));
}

function seconds(value: number | undefined): string {
  return value === undefined ? '–' : ageWords(value * 1_000);
}

const OUTCOME_WORDS: Readonly<Record<string, readonly [Tone, string]>> = {
  open: ['warn', 'no answer of v1 yet'],
  unknown: ['warn', 'perhaps charged'],
  pending: ['info', 'charged, not confirmed'],
};

function openOrdersPart(parts: ConsoleParts, { openOrders, nowMs }: Overview): Html {
  const { live } = parts;
  const mapping = live.current();
  const money = (order: Order): AmountMinor | undefined => moneyOf(order, { mapping, setOf: live.history.mappingOf }).atRisk;
  const columns = [
    {
      title: 'Order',
      cell: (order: Order) => html`<a href="/console/orders/${order.owner}/${order.number}">${order.number}</a>`,
    },
    { title: 'Operation', cell: (order: Order) => operationTitle(parts, order.operation) },
    { title: 'Caller', cell: (order: Order) => callerLink(mapping, order.owner) },
    { title: 'State', cell: (order: Order) => badge(...(OUTCOME_WORDS[order.outcome?.kind ?? 'open'] ?? ['none', 'open'])) },
    { title: 'Open since', cell: (order: Order) => ago(order.openedAtMs, nowMs), isNumber: true },
    { title: 'Naira', cell: (order: Order) => naira(money(order)), isNumber: true },
  ];
  return section(
    'Money at risk',
    openOrdersBody(openOrders, () => table(openOrders.oldest, columns, { caption: 'The oldest open orders' })),
    {
      ...{ id: 'open-orders', isWide: true },
      note: `Orders that v1 may have charged and that have no end yet. Overdue is what is ${overdueWords(parts)}.`,
    },
  );
}

function openOrdersBody({ problem, oldest, count: all }: Overview['openOrders'], shown: () => Html): Html {
  if (problem !== undefined) return notice('warn', problem);
  if (all === 0) return empty('No order is open: every outcome is known.');
  const more = all - oldest.length;
  return html`${shown()}${more > 0 && html`<p class="note">The oldest ${oldest.length} of ${count(all)}.</p>`}`;
}

function callerLink(mapping: Mapping, fingerprint: string): Html {
  return html`<a href="/console/callers/${fingerprint}">${callerName(mapping, fingerprint)}</a>`;
}

/** The name of an operation for people. */
function operationTitle({ live }: ConsoleParts, operation: string): string {
  return operation === 'none' ? 'Not recognised' : (live.current().operations.get(operation)?.title ?? operation);
}

const STRIP_WIDTH = 600;
const MINUTES = 60;

function v1Part(minutes: Overview['health']): Html {
  const down = minutes.filter(({ isUp }) => !isUp).length;
  const words =
    minutes.length === 0
      ? 'Not known yet: the first look is taken five seconds after the start.'
      : down === 0
        ? `Up ${minutes.length >= MINUTES ? 'for all of the last hour' : 'since the start'}.`
        : `In trouble for ${down} min of the last ${minutes.length} min.`;
  const width = STRIP_WIDTH / MINUTES;
  const first = MINUTES - minutes.length;
  return section(
    "v1's health",
    html`<p>${words}</p>
      <svg class="strip" viewBox="0 0 ${STRIP_WIDTH} 28" preserveAspectRatio="none" role="img" aria-label="${words}">
        <rect class="unknown" width="${STRIP_WIDTH}" height="28"></rect>
        ${minutes
          .slice(-MINUTES)
          .map(
            ({ isUp }, index) =>
              html`<rect
                class="${isUp ? 'up' : 'down'}"
                x="${(Math.max(0, first) + index) * width + 0.5}"
                y="${isUp ? 8 : 0}"
                width="${width - 1}"
                height="${isUp ? 20 : 28}"
              ></rect>`,
          )}
      </svg>
      <p class="note row"><span>an hour ago</span><span class="push">now</span></p>`,
    { id: 'v1-health', note: 'Tall and red: in trouble.' },
  );
}

interface TallyRow {
  readonly name: string;
  readonly groups: Groups;
  readonly all: number;
}

const GROUP_TITLES: Readonly<Record<Group, string>> = {
  sold: 'Sold',
  pending: 'Pending',
  failed: 'Failed',
  refused: 'Refused',
  other: 'Other',
};

function tallyTable(
  tally: Tally,
  { title, note, nameOf }: { title: string; note: string; nameOf: (name: string) => Html | string },
): Html {
  const rows: readonly TallyRow[] = Object.entries(tally)
    .map(([name, outcomes]) => ({ name, groups: groupsOf(outcomes), all: total({ name: outcomes }) }))
    .sort((one, other) => other.all - one.all)
    .slice(0, ROWS_MAX);
  const columns = [
    { title, cell: ({ name }: TallyRow) => nameOf(name) },
    ...GROUPS.map((group) => ({
      title: GROUP_TITLES[group],
      cell: ({ groups }: TallyRow) => (groups[group] === 0 ? html`<span class="zero">0</span>` : count(groups[group])),
      isNumber: true,
    })),
  ];
  const caption = `Requests ${note} by ${title.toLowerCase()}`;
  return table(rows, columns, { caption, empty: `No request ${note}.`, onPhone: 'scroll' });
}

const ROWS_MAX = 12;

function operationsPart(parts: ConsoleParts, seen: Overview): Html {
  const { hour } = seen;
  const nameOf = (operation: string): string => operationTitle(parts, operation);
  const note = spanWords(parts, seen);
  const body = tallyTable(hour.byOperation, { title: 'Operation', note, nameOf });
  return section('By operation', body, { id: 'by-operation', note });
}

function callersPart(parts: ConsoleParts, seen: Overview): Html {
  const { live } = parts;
  const { hour } = seen;
  const mapping = live.current();
  const keys = new Map([...mapping.callerKeys.keys()].map((fingerprint) => [callerTitle(mapping, fingerprint), fingerprint]));
  const nameOf = (name: string): Html | string => {
    const fingerprint = keys.get(name);
    if (fingerprint !== undefined) return callerLink(mapping, fingerprint);
    return name === 'other' ? html`<a href="/console/callers">Without a title</a>` : name;
  };
  const note = spanWords(parts, seen);
  const body = tallyTable(hour.byCaller, { title: 'Caller', note, nameOf });
  return section('By caller', body, { id: 'by-caller', note });
}

function refusedPart(parts: ConsoleParts, { refused, nowMs }: Overview): Html {
  const { live } = parts;
  const caller = ({ owner }: RefusedNote): Html | string => (owner === undefined ? 'no key' : callerLink(live.current(), owner));
  const columns = [
    { title: 'When', cell: ({ atMs }: RefusedNote) => ago(atMs, nowMs) },
    { title: 'Caller', cell: caller },
    {
      title: 'Why',
      cell: ({ code, told }: RefusedNote) => html`<div><code>${code}</code><span class="told">${told}</span></div>`,
    },
  ];
  const caption = 'The last refused requests';
  return section('Last refused', table(refused, columns, { caption, empty: 'No request was refused.' }), {
    ...{ id: 'last-refused', note: html`<a href="/console/orders?outcome=refused">All that were refused</a>` },
  });
}

function inForcePart({ live, facts }: ConsoleParts, { nowMs }: Overview): Html {
  const mapping = live.current();
  const [use] = live.history.list();
  const rows: readonly (readonly [string, Html | string])[] = [
    ['Mapping', html`<code>${mapping.hash.slice(0, 8)}</code>`],
    [
      'In use since',
      use === undefined ? 'this start' : html`${time(use.atMs, nowMs)} (${use.by}${use.who !== undefined && `, ${use.who}`})`,
    ],
    ['Formats', [...mapping.formats.values()].map(({ title }) => title).join(', ')],
    ['Serves', html`<code>${facts.publicUrl}</code>`],
    ['Sells through', html`<code>${facts.upstreamUrl}</code>`],
    [
      'Running since',
      html`${time(facts.startedAtMs, nowMs)}
      (${ageWords(nowMs - facts.startedAtMs)}${facts.workers > 1 && `, ${facts.workers} processes`})`,
    ],
  ];
  return section('In force', definitions(rows), { id: 'in-force' });
}

/** A chart, and the same figures as a table for people who cannot see it or want the numbers. */
export function chartPart(kind: 'traffic' | 'times', title: string, note: string, alternative: Html): Html {
  return section(
    title,
    html`<div class="chart" data-chart="${kind}" aria-hidden="true"></div>
      <details>
        <summary>The last hour as a table</summary>
        ${alternative}
      </details>`,
    { id: `chart-${kind}`, note },
  );
}

interface Stretch {
  readonly atMs: number;
  readonly samples: readonly Sample[];
}

const STRETCH_MS = 5 * 60_000;

function stretchesOf(samples: readonly Sample[]): readonly Stretch[] {
  const stretches = new Map<number, Sample[]>();
  for (const sample of samples) {
    const atMs = Math.floor(sample.atMs / STRETCH_MS) * STRETCH_MS;
    stretches.set(atMs, [...(stretches.get(atMs) ?? []), sample]);
  }
  return [...stretches].map(([atMs, of]) => ({ atMs, samples: of })).reverse();
}

export function trafficTable(samples: readonly Sample[]): Html {
  const columns = [
    { title: 'From', cell: ({ atMs }: Stretch) => minuteOf(atMs) },
    ...GROUPS.map((group) => ({
      title: GROUP_TITLES[group],
      cell: ({ samples: of }: Stretch) => count(groupsOf(...of.flatMap(({ byOperation }) => Object.values(byOperation)))[group]),
      isNumber: true,
    })),
  ];
  return table(stretchesOf(samples), columns, { caption: 'Requests in each five minutes', onPhone: 'scroll' });
}

export function timesTable(samples: readonly Sample[]): Html {
  const cell = (of: readonly Sample[], which: 'request' | 'v1', share: number): string =>
    seconds(quantile(addTimes(of.map((sample) => sample[which])), share));
  const columns = [
    { title: 'From', cell: ({ atMs }: Stretch) => minuteOf(atMs) },
    { title: 'Reply, half', cell: ({ samples: of }: Stretch) => cell(of, 'request', 0.5), isNumber: true },
    { title: 'Reply, 99 %', cell: ({ samples: of }: Stretch) => cell(of, 'request', 0.99), isNumber: true },
    { title: 'v1, half', cell: ({ samples: of }: Stretch) => cell(of, 'v1', 0.5), isNumber: true },
    { title: 'v1, 99 %', cell: ({ samples: of }: Stretch) => cell(of, 'v1', 0.99), isNumber: true },
  ];
  return table(stretchesOf(samples), columns, { caption: 'Times in each five minutes', onPhone: 'scroll' });
}

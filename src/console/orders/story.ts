/**
 * The story of one order on a page: its state, the events with times, the request and the calls to v1, and the rule behind each
 * field of the reply.
 */
import { textOf } from '../../domain/json';
import { explainOrderReply } from '../../operator/explain/explain';
import { maskIn, numbersIn } from '../../orders/number-keys';
import type { OrderStory, StoryEvent } from '../../orders/order-story';
import {
  ageWords,
  badge,
  codeBlock,
  definitions,
  naira,
  notice,
  ruleLink,
  section,
  table,
  textField,
  time,
  type Tone,
} from '../components';
import { html, type Html } from '../html';

export const TONES: Readonly<Record<OrderStory['outcome'], Tone>> = {
  ...{ succeeded: 'good', declined: 'none', rejected: 'none', not_sent: 'none' },
  ...{ pending: 'warn', unknown: 'warn', open: 'warn' },
};

export function storyBody(story: OrderStory, nowMs: number): Html {
  return html`${story.contrary !== undefined && notice('bad', `${story.contrary}. A person has to put this right with the reseller.`)}
  ${story.untold !== undefined && notice('warn', story.untold)} ${standing(story, nowMs)} ${eventsSection(story)}
  ${resultSection(story)} ${replyRules(story)} ${recheckForm(story)}`;
}

function standing(story: OrderStory, nowMs: number): Html {
  const { order, caller, operation, outcome, meaning, sinceMs, reference, money, balance } = story;
  return section(
    'How it stands',
    definitions([
      ['Outcome', html`${badge(TONES[outcome], outcome.replace('_', ' '))} ${meaning}`],
      ['Since', html`${time(sinceMs)}, ${ageWords(nowMs - sinceMs)} ago`],
      ['Caller', html`<a href="/console/callers/${order.owner}">${caller ?? html`<code>${order.owner.slice(0, 8)}</code>`}</a>`],
      ['Operation', operation.title ?? operation.name],
      ['Request id', html`<code>${order.requestId}</code>`],
      ['Id in replies', String(order.number)],
      ['v1 reference', reference === undefined ? undefined : html`<code>${reference}</code>`],
      ['Asked for', money.askedFor === undefined ? undefined : naira(money.askedFor)],
      ['Charged', money.charged === undefined ? undefined : naira(money.charged)],
      ['At risk', money.atRisk === undefined ? undefined : naira(money.atRisk)],
      ['Wallet', balance === undefined ? undefined : html`${naira(balance.before)} before, ${naira(balance.after)} after`],
    ]),
  );
}

function eventsSection({ events }: OrderStory): Html {
  return section(
    'What happened',
    table<StoryEvent>(
      events,
      [
        { title: 'When', cell: ({ atMs }) => time(atMs) },
        { title: 'What', cell: ({ what }) => what },
        { title: 'In words', cell: ({ text }) => text },
        { title: 'Took', cell: ({ tookMs }) => (tookMs === undefined ? undefined : ageWords(tookMs)), isNumber: true },
      ],
      { caption: 'What happened to the order, oldest first' },
    ),
    { isWide: true },
  );
}

function resultSection(story: OrderStory): Html {
  const { order, reason, family, fields, call, isAsItWas, mapping } = story;
  const hash = order.trail?.mapping ?? 'not recorded';
  const told = html`<a href="/console/mappings/sets/${mapping.hash}"><code>${mapping.hash.slice(0, 8)}</code></a>`;
  return section(
    'What came, and what v1 was asked',
    html`${definitions([
      ['Format', `${order.format.toUpperCase()}: ${reason}`],
      ['Family', family],
      [
        'Mapping',
        isAsItWas
          ? told
          : html`${hash}, which is not kept, or not readable by this build: what follows uses the set in use, ${told}`,
      ],
    ])}
    ${table(
      fields,
      [
        { title: 'Field', cell: ({ name }) => name },
        { title: 'Value', cell: ({ value, own }) => (own === undefined ? value : `${value} (sent as ${own})`) },
        { title: 'From', cell: ({ from }) => from ?? 'by default' },
      ],
      { caption: 'The fields of the request, numbers masked', onPhone: 'scroll' },
    )}
    ${call !== undefined && codeBlock(`${call.line}\n${JSON.stringify(call.body, null, 2)}`, 'The call to v1')}`,
    { isWide: true },
  );
}

function replyRules({ order, mapping }: OrderStory): Html | false {
  const numbers = numbersIn(mapping.operations.get(order.operation), order.fields);
  const reply = explainOrderReply(order, mapping);
  if (reply === undefined) return false;
  return section(
    'The reply, and the rule behind each field',
    table(
      reply.fields,
      [
        { title: 'Field', cell: ({ field }) => html`<code>${field}</code>` },
        { title: 'Value', cell: ({ value }) => maskIn(textOf(value), numbers).slice(0, 80) },
        { title: 'Made from', cell: ({ source }) => html`<code>${source}</code>` },
        { title: 'Rule', cell: ({ place }) => ruleLink(place, mapping.hash) },
      ],
      { caption: 'As the script hears it when it asks now', isCaptionShown: true, onPhone: 'scroll' },
    ),
    { isWide: true, note: `${reply.outcome}, HTTP ${reply.http}` },
  );
}

function recheckForm({ order }: OrderStory): Html {
  return section(
    'Ask v1 again',
    html`<form method="post" action="/console/orders/${encodeURIComponent(order.owner)}/${order.number}/recheck" class="stack">
      ${textField({ name: 'key', label: 'API key of this caller', type: 'password', isRequired: true, hint: 'Used for this one question, and kept nowhere.' })}
      ${textField({ name: 'address', label: 'Address of its script', hint: 'Only if the key is locked to an address.' })}
      <button type="submit">Ask v1</button>
    </form>`,
    { note: 'Nothing is bought by it.' },
  );
}

/** Shows what the gateway makes of a paste, from the address to each field of each reply, every part with its rule. */
import type { AmountMinor } from '../../domain/amount';
import { textOf, type JsonValue } from '../../domain/json';
import type { LegacyReply } from '../../domain/legacy';
import { shorten, withoutKeys } from '../../domain/shown-words';
import type { ExplainedReply, Explanation, Place } from '../../operator/explain/explain';
import { badge, codeBlock, definitions, empty, nairaWords, notice, ruleLink, section, table } from '../components';
import { html, type Html, type Writable } from '../html';
import type { Tried } from './read-try';

/** A rule's place as a link. */
type ShowPlace = (place: Place) => Html;

/** `setHash` is the hash of the mapping set that has read the request. */
export function showTried(tried: Tried, setHash: string): Html {
  switch (tried.kind) {
    case 'empty':
      return empty('Paste a request: what the gateway makes of it appears here as you type.');
    case 'unreadable':
      return notice('warn', tried.detail);
    case 'refused_unread':
      return html`${notice('bad', `The gateway refuses to read it: ${tried.detail}`)} ${replySection(tried.reply)}`;
    case 'explained':
      return showExplained(tried, (place) => ruleLink(place, setHash));
  }
}

function showExplained({ paste, request, explanation, refusal }: Extract<Tried, { kind: 'explained' }>, place: ShowPlace): Html {
  const { operation, format, family, note } = explanation;
  return html`${
    explanation.refusal === undefined
      ? notice(
          'good',
          html`Read as ${paste}:
          ${operation?.title ?? 'no operation'}${format !== undefined && `, format ${format.id.toUpperCase()}`}.`,
        )
      : notice('bad', html`Refused (${explanation.refusal.code}): ${explanation.refusal.detail}`)
  }
  ${note !== undefined && notice('info', note)}
  ${section(
    'How it is read',
    definitions([
      ['Address', html`<code>${request.method} ${withoutKeys(request.path, request.headers)}</code>`],
      ['Operation', operation && html`${operation.title} ${place(operation.place)}`],
      ['Key', explanation.key && keyWords(explanation.key)],
      ['Format', format && formatWords(format)],
      ['Family', family && html`${family.id}: ${family.reason} ${place(family.place)}`],
      [
        'Caller',
        explanation.caller.length > 0 && list(explanation.caller.map(({ words, place: at }) => html`${words} ${place(at)}`)),
      ],
      ['Not known, dropped', explanation.unknownFields.length > 0 && explanation.unknownFields.join(', ')],
      ['Request id', explanation.requestId !== undefined && textOf(explanation.requestId)],
    ]),
  )}
  ${explanation.fields.length > 0 && section('Fields', fieldTable(explanation, place))}
  ${explanation.call !== undefined && section('What v1 is asked', callBlock(explanation.call))}
  ${refusal !== undefined && replySection(refusal)}
  ${
    explanation.replies.length > 0 &&
    section(
      'What the script is told',
      explanation.replies.map((reply) => showReply(reply, place)),
      { note: 'with made-up answers of v1' },
    )
  }`;
}

const list = (items: readonly Writable[]): Html =>
  html`<ul class="plain">
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;

function keyWords({ how, hasPin, fingerprint }: NonNullable<Explanation['key']>): Html {
  return html`${how}, ${hasPin ? 'with' : 'without'} a
  PIN${fingerprint !== undefined && html` <span class="note">fingerprint ${fingerprint.slice(0, 8)}</span>`}`;
}

function formatWords({ id, reason, signals }: NonNullable<Explanation['format']>): Html {
  return html`<strong>${id.toUpperCase()}</strong>:
    ${reason}${
      signals.length > 0 &&
      list(
        signals.map(
          ({ weight, format, words }) =>
            html`${badge(weight === 'strong' ? 'info' : 'none', weight)} for ${format.toUpperCase()}: ${words}`,
        ),
      )
    }`;
}

function fieldTable({ fields }: Explanation, place: ShowPlace): Html {
  return table(
    fields,
    [
      { title: 'Field', cell: ({ field }) => field },
      { title: 'Value', cell: ({ value, as }) => html`<code>${shown(value, as)}</code>` },
      {
        title: 'Sent as',
        cell: ({ spelling }) =>
          spelling === undefined ? html`<span class="note">by default</span>` : html`<code>${spelling}</code>`,
      },
      { title: 'Read as', cell: ({ as }) => as },
      { title: 'Rule', cell: (one) => place(one.place) },
    ],
    { caption: 'Fields that were read', onPhone: 'scroll' },
  );
}

/** Amounts inside the program are in kobo; the face value of a card is in naira. */
function shown(value: JsonValue, as: string): string {
  return as === 'naira' ? nairaWords(value as AmountMinor) : textOf(value);
}

function callBlock({ method, path, body, query }: NonNullable<Explanation['call']>): Html {
  return html`<p><code>${method} ${path}</code></p>
    ${codeBlock(JSON.stringify(body ?? query ?? {}, null, 2), 'Body of the v1 call')}`;
}

function replySection({ status, body }: LegacyReply): Html {
  return section('What the script is told', codeBlock(JSON.stringify(body, null, 2), 'Reply to the script'), {
    note: `HTTP ${status}`,
  });
}

const TONES = { success: 'good', pending: 'info', failure: 'bad' } as const;

function showReply({ outcome, http, fields }: ExplainedReply, place: ShowPlace): Html {
  return html`<details ${outcome === 'success' && html`open`}>
    <summary>${badge(TONES[outcome], outcome)} HTTP ${http}, ${fields.length} fields</summary>
    ${table(
      fields,
      [
        { title: 'Field', cell: ({ field }) => html`<code>${field === '' ? 'the list' : field}</code>` },
        { title: 'Value', cell: ({ value }) => html`<code>${shorten(textOf(value) || "''", 60)}</code>` },
        { title: 'Comes from', cell: ({ source }) => html`<code>${source}</code>` },
        { title: 'Rule', cell: (one) => place(one.place) },
      ],
      { caption: `Reply to ${outcome}`, onPhone: 'scroll' },
    )}
  </details>`;
}

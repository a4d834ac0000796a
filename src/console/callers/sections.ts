/** One caller: whose key it is, what it may do, what it did, how its scripts are read, and what could be mended. */

import { ERRORS } from '../../domain/errors';
import type { CallerKey } from '../../mapping/mapping';
import { ageWords, ago, badge, count, definitions, empty, naira, nairaWords, section, table, textField } from '../components';
import type { ConsoleParts } from '../console-parts';
import { html, type Html, type Writable } from '../html';
import { partOfDay, type CallerDrift, type CallerView } from './read-callers';

export function callerSections({ caller, drift }: { caller: CallerView; drift: CallerDrift }, parts: ConsoleParts): Html {
  const now = parts.clock.now();
  return html`<p><a href="/console/callers">All callers</a></p>
    <div class="grid">
      ${section('Whose key', whose(caller, now))} ${section('May sell', switches(caller))} ${section('Today', today(caller))}
      ${section('Its scripts', scripts(caller, parts))}
      ${section('Refused', refused(caller), { note: html`<a href="${ordersOf(caller)}&outcome=refused">what was told</a>` })}
      ${section('What could be mended', mending(drift))}
    </div>`;
}

const CALLERS_FILE = html`<a href="/console/mappings/file?name=callers.yaml">callers.yaml</a>`;

function whose({ fingerprint, key, isListed, lastSeenMs, requests, wallet }: CallerView, now: number): Html {
  return definitions([
    ['Title', key.title ?? html`<span class="note">none: give it one in ${CALLERS_FILE}</span>`],
    ['Note', key.note],
    ['Contact', key.contact],
    ['Fingerprint', html`<code>${fingerprint}</code>`],
    ['Last seen', lastSeenMs === undefined ? 'not lately' : ago(lastSeenMs, now)],
    ['Requests', `${count(requests)} remembered`],
    [
      'Wallet',
      wallet === undefined
        ? html`<span class="note">${isListed ? 'not seen since the start' : 'noted only for keys in callers.yaml'}</span>`
        : html`${naira(wallet.balance)}, ${ago(wallet.atMs, now)}`,
    ],
    ['Warned below', key.walletBelow !== undefined && naira(key.walletBelow)],
  ]);
}

/** The switches of a key. The sandbox side of a key has none: they are on the page of the key itself. */
function switches({ fingerprint, key }: CallerView): Html {
  const at = `/console/callers/${fingerprint}`;
  if (key.sandboxOf !== undefined)
    return html`<p>
      This is what the key does in the sandbox. Its entry:
      <a href="/console/callers/${key.sandboxOf}">${key.title ?? key.sandboxOf.slice(0, 8)}</a>.
    </p>`;
  const sandbox = key.isSandboxed && html`<p>${badge('info', 'sandbox')} Its sales are only simulated.</p>`;
  if (key.pausedText !== undefined)
    return html`${sandbox}
      <p>${badge('warn', 'paused')} Its purchases are refused. What is known of earlier orders is still told.</p>
      <p>Its scripts are told: “${key.pausedText}”</p>
      <form method="post" action="${at}/go-on"><button class="primary">Let it go on</button></form>`;
  return html`${sandbox}
    <p>
      ${badge('good', 'yes')} ${limitWords(key)}
      <span class="note"
        >Limits are set in ${CALLERS_FILE}: <code>limit: { purchases: 30, naira: 500000 }</code> is 30 purchases a minute and
        ₦500,000 a day.</span
      >
    </p>
    <form method="post" action="${at}/pause">
      ${textField({
        name: 'text',
        label: 'The text of its refusals while paused',
        hint: 'May stay empty: then a standard text is used. It must not sound like a success. What the key sends under V1_PATH still buys.',
      })}
      <button>Pause</button>
    </form>`;
}

function limitWords({ limit }: CallerKey): string {
  if (limit === undefined) return 'Without limits.';
  const perMinute = limit.purchasesPerMinute === Infinity ? [] : [`${count(limit.purchasesPerMinute)} purchases a minute`];
  const perDay = limit.nairaPerDay === undefined ? [] : [`${nairaWords(limit.nairaPerDay)} a day`];
  return `At most ${[...perMinute, ...perDay].join(' and ')}.`;
}

function today(caller: CallerView): Html {
  const { usage, key } = caller;
  if (usage === undefined) return empty('Its orders of today are being counted, or the journal cannot be read: look again.');
  const day = partOfDay(caller);
  const ofMinute =
    key.limit === undefined || key.limit.purchasesPerMinute === Infinity ? '' : ` of ${key.limit.purchasesPerMinute}`;
  return definitions([
    ['Orders', `${count(usage.today.orders)} that took money, or may have`],
    [
      'Naira',
      html`${naira(usage.today.amount)}
        <span class="note">charged, or asked for while v1 has not said; without plans whose charge v1 has not told yet</span>`,
    ],
    [
      'Of its daily limit',
      day !== undefined &&
        html`<progress max="${day.most}" value="${Math.min(day.used, day.most)}" aria-label="Part of the day's naira"></progress>
          ${naira(day.used)} of ${naira(day.most)}`,
    ],
    [
      'Last minute',
      usage.lastMinute.length === 1 && ofMinute === '' ? '1 purchase' : `${count(usage.lastMinute.length)}${ofMinute} purchases`,
    ],
    ['Its orders', html`<a href="${ordersOf(caller)}">show them</a>`],
  ]);
}

function scripts({ key, formats, families, learnt, requests }: CallerView, { live }: ConsoleParts): Html {
  const mapping = live.current();
  const set: Writable[] = families.map(({ id, proven }) => {
    const title = mapping.families.get(id)?.title ?? id;
    const proof = key.family === id ? 'as callers.yaml says' : `proved by ${count(proven)} of ${count(requests)} requests`;
    return html`<p>${title} <span class="note">${proof}</span></p>`;
  });
  const defaultPatience = key.patienceOf('default');
  return definitions([
    [
      'Format',
      [key.format === undefined ? formats.join(', ').toUpperCase() : `${key.format.toUpperCase()}, as callers.yaml says`],
    ],
    ['Family', set.length > 0 ? set : (key.family ?? 'none recognised')],
    ['Patience set', defaultPatience === undefined ? 'by kind of caller' : ageWords(defaultPatience)],
    [
      'Patience learnt',
      learnt.length > 0 && learnt.map(({ kind, limitMs }) => html`<p>${ageWords(limitMs)} <span class="note">${kind}</span></p>`),
    ],
    ['Numbers of its own', [...key.numbers.keys()].join(', ')],
  ]);
}

/** The beginning of a fingerprint finds a caller only if it has orders. */
const ordersOf = ({ fingerprint, key, name }: CallerView): string =>
  `/console/orders?caller=${key.title === undefined ? fingerprint : encodeURIComponent(name)}`;

const whyOf = (code: string): string | undefined =>
  (ERRORS as Readonly<Record<string, { readonly title: string } | undefined>>)[code]?.title;

function refused({ refusals }: CallerView): Html {
  return table(
    Object.entries(refusals),
    [
      { title: 'Why', cell: ([code]) => html`${whyOf(code)} <code>${code}</code>` },
      { title: 'Times', cell: ([, times]) => count(times), isNumber: true },
    ],
    { caption: 'Refusals by their code', empty: 'None of its requests was refused.' },
  );
}

function mending({ unknownFields, family }: CallerDrift): Html {
  if (family === undefined && unknownFields.length === 0)
    return empty('Everything that it sends is understood, and its family is known or needs none.');
  const words =
    family !== undefined &&
    html`<p>
      ${badge('info', 'family')} ${count(family.count)} of ${count(family.purchases)} purchases prove
      <code>${family.family}</code>: <code>family: ${family.family}</code> in callers.yaml says it of all.
    </p>`;
  const fields =
    unknownFields.length > 0 &&
    table(
      unknownFields,
      [
        { title: 'Field', cell: ({ name }) => html`<code>${name}</code>` },
        { title: 'Operation', cell: ({ operation }) => operation },
        { title: 'Times', cell: ({ count: times }) => count(times), isNumber: true },
      ],
      { caption: 'Fields that no mapping knows', isCaptionShown: true },
    );
  return html`${words} ${fields}`;
}

/** The elements of pages and forms, so that all pages look and read alike. */
import { USUAL_TIME_ZONE } from '../domain/day';
import type { AmountMinor } from '../domain/amount';
import { html, type Html, type Writable } from './html';

/** `good` and `bad` judge, `warn` asks the operator to look, `info` informs, `none` does none of these. */
export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'none';

/** A sign beside the word, so that the meaning does not depend on the colour. */
const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', warn: '!', bad: '✕', info: '●', none: '·' };

export function badge(tone: Tone, words: Writable): Html {
  return html`<span class="badge ${tone}"><span class="sign" aria-hidden="true">${SIGNS[tone]}</span>${words}</span>`;
}

export interface Column<Row> {
  readonly title: Writable;
  readonly cell: (row: Row) => Writable;
  /** Right-aligned, with figures of one width. */
  readonly isNumber?: boolean;
}

interface TableOptions {
  /** The name of the table for screen readers; visible only with `isCaptionShown`. */
  readonly caption: string;
  readonly isCaptionShown?: boolean;
  /** Shown instead of a table without rows. */
  readonly empty?: Writable;
  /** `cards` makes each row a card on a phone; otherwise the table scrolls inside itself. */
  readonly onPhone?: 'cards' | 'scroll';
}

/** The first column is the heading of its row. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], options: TableOptions): Html {
  const { caption, isCaptionShown = false, empty: whenEmpty = 'Nothing yet.', onPhone = 'cards' } = options;
  if (rows.length === 0) return html`<div>${empty(whenEmpty)}</div>`;
  const kind = (column: Column<Row>): Html | false => column.isNumber === true && html` class="number"`;
  return html`<div class="table" ${onPhone === 'scroll' && html`tabindex="0" role="region" aria-label="${caption}"`}>
    <table class="${onPhone}">
      <caption ${!isCaptionShown && html`class="unseen"`}>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col" ${kind(column)}>${column.title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columns.map((column, index) =>
                index === 0
                  ? html`<th scope="row" ${kind(column)}>${column.cell(row)}</th>`
                  : html`<td ${kind(column)} data-title="${column.title}">${column.cell(row)}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Names and values in two columns. Rows without a value are left out. */
export function definitions(rows: readonly (readonly [name: string, value: Writable])[]): Html {
  const shown = rows.filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '');
  return html`<dl class="definitions">
    ${shown.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

export function empty(words: Writable): Html {
  return html`<p class="empty">${words}</p>`;
}

/** A box with its own heading. `note` is a small text beside the heading. */
export function section(title: string, body: Writable, options: { id?: string; note?: Writable; isWide?: boolean } = {}): Html {
  const { id, note, isWide = false } = options;
  return html`<section class="card ${isWide && 'wide'}" ${id !== undefined && html`id="${id}"`}>
    <div class="card-head">
      <h2>${title}</h2>
      ${note !== undefined && html`<span class="note">${note}</span>`}
    </div>
    ${body}
  </section>`;
}

/** A large figure with the name of what it counts. */
export function figure(label: string, value: Writable, note?: Writable): Html {
  return html`<div class="figure">
    <span class="label">${label}</span><strong>${value}</strong>${note !== undefined && html`<span class="note">${note}</span>`}
  </div>`;
}

/** The place of a rule, as a link to its line in the mapping set that the page uses. */
export function ruleLink({ file, line }: { readonly file: string; readonly line: number }, setHash: string): Html {
  const name = file.split('/').slice(-2).join('/');
  return html`<a class="rule" href="/console/mappings/sets/${setHash}?file=${encodeURIComponent(file)}#line-${line}"
    ><code>${name.replace(/^mappings\//, '')}:${line}</code></a
  >`;
}

/** A block of code or JSON, which scrolls inside itself. `label` names it for screen readers. */
export function codeBlock(text: string, label: string): Html {
  return html`<pre class="code" tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>`;
}

/** A sentence about what has happened or is wrong, placed above its subject. */
export function notice(tone: Tone, words: Writable): Html {
  return html`<p class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">
    <span class="sign" aria-hidden="true">${SIGNS[tone]}</span><span>${words}</span>
  </p>`;
}

/** A sentence of the log, whose commands in backticks become code. */
export function prose(text: string): Writable {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly type?: 'text' | 'search' | 'password' | 'number' | 'datetime-local';
  readonly hint?: string;
  readonly isRequired?: boolean;
  readonly autocomplete?: string;
}

/** An input below its label. Screen readers read the hint with the input. */
export function textField(field: Field): Html {
  const { name, label, value = '', type = 'text', hint, isRequired = false, autocomplete = 'off' } = field;
  const input = html`<input
    id="field-${name}"
    name="${name}"
    type="${type}"
    value="${value}"
    autocomplete="${autocomplete}"
    ${isRequired && html`required`}
    ${hint !== undefined && html`aria-describedby="about-${name}"`}
  />`;
  return labelled(name, label, input, hint);
}

/** An element of a form below its label, with what is said about it beside it. */
function labelled(id: string, label: string, element: Html, about?: string): Html {
  return html`<div class="field">
    <label for="field-${id}">${label}</label>
    ${element} ${about !== undefined && html`<span id="about-${id}" class="note">${about}</span>`}
  </div>`;
}

export function selectField(field: {
  readonly name: string;
  /** Given where a page has two fields of one name. */
  readonly id?: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly options: readonly (readonly [value: string, label: string])[];
}): Html {
  const { name, id = name, label, value = '', options } = field;
  const select = html`<select id="field-${id}" name="${name}">
    ${options.map(([option, text]) => html`<option value="${option}" ${option === value && html`selected`}>${text}</option>`)}
  </select>`;
  return labelled(id, label, select);
}

/** `₦1,250.00`, or `₦1,250` if there are no kobo. */
export function naira(amount: AmountMinor | undefined): Html {
  return amount === undefined
    ? html`<span class="note">not known</span>`
    : html`<span class="money">${nairaWords(amount)}</span>`;
}

export function nairaWords(amount: AmountMinor): string {
  const kobo = Math.abs(amount) % 100;
  const whole = Math.trunc(Math.abs(amount) / 100).toLocaleString('en-NG');
  return `${amount < 0 ? '−' : ''}₦${whole}${kobo === 0 ? '' : `.${String(kobo).padStart(2, '0')}`}`;
}

export function count(value: number): string {
  return value.toLocaleString('en-NG');
}

/** The time zone of all pages, which is that of all commands too: TIME_ZONE. */
export function showTimesIn(timeZone: string): void {
  const options = { timeZone, hourCycle: 'h23' } as const;
  wordsOfTime = new Intl.DateTimeFormat('en-GB', {
    ...options,
    ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  });
  hourAndMinute = new Intl.DateTimeFormat('en-GB', { ...options, hour: '2-digit', minute: '2-digit' });
}

let wordsOfTime: Intl.DateTimeFormat;
let hourAndMinute: Intl.DateTimeFormat;
showTimesIn(USUAL_TIME_ZONE);

/** `24 Nov 2026, 14:03:07`, with the age as the title. */
export function time(atMs: number, nowMs?: number): Html {
  return html`<time
    datetime="${new Date(atMs).toISOString()}"
    ${nowMs !== undefined && html`title="${ageWords(nowMs - atMs)} ago"`}
    >${wordsOfTime.format(atMs)}</time
  >`;
}

/** `14:03`. */
export function minuteOf(atMs: number): string {
  return hourAndMinute.format(atMs);
}

/** `3 min ago`, with the exact time behind it. */
export function ago(atMs: number, nowMs: number): Html {
  return html`<time datetime="${new Date(atMs).toISOString()}" title="${wordsOfTime.format(atMs)}"
    >${ageWords(nowMs - atMs)} ago</time
  >`;
}

/** `850 ms`, `12 s`, `3 min`, `5 h`, `2 days`. */
export function ageWords(durationMs: number): string {
  const ms = Math.max(0, Math.round(durationMs));
  if (ms < 1_000) return `${ms} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** Links to the first page and to the page after this one. */
export function pager(links: { readonly newest?: string | undefined; readonly older?: string | undefined }): Html | false {
  if (links.newest === undefined && links.older === undefined) return false;
  return html`<nav class="pager" aria-label="Pages of the list">
    ${links.newest !== undefined && html`<a class="button" href="${links.newest}">Newest</a>`}
    ${links.older !== undefined && html`<a class="button" href="${links.older}">Older</a>`}
  </nav>`;
}

/** A field of a posted form or of an address as text; empty if it is absent or was sent twice. */
export function textOf(fields: unknown, name: string): string {
  const value = (fields as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

export function textArea(field: {
  readonly name: string;
  readonly label: string;
  readonly rows: number;
  readonly placeholder?: string;
  readonly hint?: string;
}): Html {
  const { name, label, rows, placeholder = '', hint } = field;
  const area = html`<textarea
    id="field-${name}"
    name="${name}"
    rows="${rows}"
    spellcheck="false"
    autocomplete="off"
    autocapitalize="off"
    placeholder="${placeholder}"
    ${hint !== undefined && html`aria-describedby="about-${name}"`}
  ></textarea>`;
  return labelled(name, label, area, hint);
}

/** A box that must be ticked before the form can be sent. */
export function tick(name: string, words: Writable): Html {
  return html`<label class="tick"><input type="checkbox" name="${name}" value="yes" required /> <span>${words}</span></label>`;
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

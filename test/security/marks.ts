/** Secrets that can be recognised anywhere, and a search for them in bytes of any kind. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Chance } from '../chance';

/** Part of every secret that is text, so that one search finds them all. */
export const CORE = 'Zk7Mk4Q9';

const KEY_LENGTH = 40;
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789';

/** A text as long as a real key, with the mark in it. */
export function markedText(chance: Chance, prefix = ''): string {
  const fill = Array.from({ length: KEY_LENGTH - CORE.length }, () => chance.pick([...LETTERS]));
  const at = chance.between(1, fill.length - 2);
  return `${prefix}${fill.slice(0, at).join('')}${CORE}${fill.slice(at).join('')}`;
}

export interface Hit {
  readonly where: string;
  readonly what: string;
}

/** The forms of a text in bytes: plain, UTF-16, hex, base64 (from each of three offsets) and URL-encoded. */
export function formsOf(text: string): readonly (readonly [form: string, bytes: Buffer])[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  // The outer letters also hold bits of the neighbouring text.
  const base64 = [0, 1, 2].map((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return padded.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1);
  });
  const percent = hex.replace(/../g, '%$&');
  return [
    ['UTF-8', bytes],
    ['UTF-16', Buffer.from(text, 'utf16le')],
    ['UTF-16, most significant first', Buffer.from(text, 'utf16le').swap16()],
    ['hex', Buffer.from(hex)],
    ['hex', Buffer.from(hex.toUpperCase())],
    ['URL-encoded', Buffer.from(percent)],
    ['URL-encoded', Buffer.from(percent.toUpperCase())],
    ...base64.map((part) => ['base64', Buffer.from(part)] as const),
    ...base64.map((part) => ['base64 of addresses', Buffer.from(part.replaceAll('+', '-').replaceAll('/', '_'))] as const),
  ];
}

export interface Marks {
  /** Texts without the mark: AccessTokens. */
  readonly texts: ReadonlySet<string>;
  readonly pins: ReadonlySet<string>;
  /** Card PINs and tokens, as digits only. */
  readonly goods: ReadonlySet<string>;
}

const CORE_FORMS = formsOf(CORE);
const AROUND = 60;
/** How many goods and AccessTokens are searched for in every form; all of them are searched for as text. */
const IN_EVERY_FORM = 40;

/** Every secret in these bytes. */
export function search(bytes: Buffer, where: string, { texts, pins, goods }: Marks): Hit[] {
  const hits: Hit[] = [];
  const text = bytes.toString('latin1');
  const note = (what: string, at: number): void =>
    void hits.push({ where, what: `${what}: …${text.slice(Math.max(0, at - AROUND), at + AROUND)}…` });
  const at = text.toLowerCase().indexOf(CORE.toLowerCase());
  if (at >= 0) note('a key', at);
  for (const [form, needle] of [...CORE_FORMS, ...sampledForms(texts), ...sampledForms(goods)]) {
    const found = bytes.indexOf(needle);
    if (found >= 0) note(`a secret in ${form}`, found);
  }
  for (const token of texts) if (text.includes(token)) note('an AccessToken', text.indexOf(token));
  for (const { 0: run, index } of text.matchAll(/\d[\d-]{8,}\d/g))
    if (goods.has(run.replaceAll('-', ''))) note('a card PIN or token', index);
  // Only six digits that stand alone, because a longer number is no PIN.
  for (const { 0: run, index } of text.matchAll(/(?<![\w.])\d{6}(?![\w])/g)) if (pins.has(run)) note('a PIN', index);
  return hits;
}

type Forms = ReturnType<typeof formsOf>;
const madeOf = new WeakMap<ReadonlySet<string>, { readonly size: number; readonly forms: Forms }>();
/** The factor by which a set must grow before its sample is chosen again, because the set grows with every reply. */
const GROWN = 1.1;

function sampledForms(all: ReadonlySet<string>): Forms {
  const { size } = all;
  const made = madeOf.get(all);
  if (made !== undefined && (size === made.size || (made.size > IN_EVERY_FORM && size < made.size * GROWN))) return made.forms;
  const every = Math.max(1, Math.floor(size / IN_EVERY_FORM));
  const forms = [...all].filter((_, nth) => nth % every === 0).flatMap((one) => formsOf(one));
  madeOf.set(all, { size, forms });
  return forms;
}

/** Every file below a folder. */
export function searchFolder(folder: string, marks: Marks): Hit[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .flatMap((file) => search(readFileSync(file), file, marks));
}

const GOODS = new Set(['pin', 'PIN', 'pins', 'token', 'meter_token', 'purchased_code']);

/** The goods in a reply, as digits only. */
export function goodsIn(value: unknown, name = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => goodsIn(one, name));
  if (typeof value === 'object' && value !== null) return Object.entries(value).flatMap(([key, below]) => goodsIn(below, key));
  if (typeof value !== 'string' || !GOODS.has(name)) return [];
  return (value.match(/\d[\d-]{8,}\d/g) ?? []).map((run) => run.replaceAll('-', ''));
}

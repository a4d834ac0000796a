/** One sale as a script plans it: who sells what under which id, and how the script behaves. */
import type { Chance } from '../../chance';
import { drawContent, drawOther, hasPlan, type Content } from './content';
import { KEY_STYLES, type KeyStyle, type Style } from './spell-request';

export interface ScriptKey {
  /** As the script sends it. */
  readonly text: string;
  readonly apiKey: string;
  readonly walletId: string;
  /** False when v1 refuses both purchases and questions of this key. */
  readonly isAllowed: boolean;
}

export const SCRIPT_KEYS = {
  demo: { text: 'sandbox_demo:1234', apiKey: 'sandbox_demo', walletId: 'demo:sandbox', isAllowed: true },
  live: { text: 'acme_live_demo:1234', apiKey: 'acme_live_demo', walletId: 'acme:live', isAllowed: true },
  // Another key of the same account: one wallet, and one history that shows the sales of both.
  second: { text: 'acme_live_second:1234', apiKey: 'acme_live_second', walletId: 'acme:live', isAllowed: true },
  locked: { text: 'acme_live_iplocked', apiKey: 'acme_live_iplocked', walletId: 'acme-iplocked:live', isAllowed: true },
  poor: { text: 'acme_live_poor:1234', apiKey: 'acme_live_poor', walletId: 'acme-poor:live', isAllowed: true },
  wrongPin: { text: 'acme_live_demo:9999', apiKey: 'acme_live_demo', walletId: 'acme:live', isAllowed: true },
  suspended: {
    text: 'acme_live_suspended:1234',
    apiKey: 'acme_live_suspended',
    walletId: 'acme-suspended:live',
    isAllowed: false,
  },
} as const satisfies Record<string, ScriptKey>;

const KEY_WEIGHTS = { demo: 4, live: 4, second: 3, locked: 2, poor: 1.5, wrongPin: 0.4, suspended: 0.3 };
const MOODS = ['decline', 'late-success', 'late-failure', 'pending', 'too-many', 'recheck-success', 'recheck-failure'];

/** What a script does with a sale that is pending: keeps it open, gives the money back, or delivers. The gateway may not know which. */
export type TakesPending = 'unknown' | 'keeps' | 'refunds' | 'sells';

/** A family of format B of each kind. */
export const FAMILY_THAT = { keeps: 'babspay', refunds: 'django-201', sells: 'sells-what-is-pending' } as const;

/** What the scripts of the demo key do in this history. */
export function drawTaker(chance: Chance): TakesPending {
  return chance.draw({ unknown: 4, keeps: 1, refunds: 3, sells: 2 });
}

export interface SaleHeader {
  readonly name: 'x-request-id' | 'idempotency-key';
  readonly id: string;
}

export type Move =
  | { readonly kind: 'repeat'; readonly afterMs: number }
  /** The same id, another sale: a script that fills missing ids with the current second. */
  | { readonly kind: 'conflict'; readonly afterMs: number; readonly content: Content }
  | { readonly kind: 'status'; readonly afterMs: number; readonly by: 'request id' | 'number' | 'reference' };

export interface Sale extends Style {
  readonly name: string;
  readonly startMs: number;
  readonly key: ScriptKey;
  readonly keyStyle: KeyStyle;
  /** Whether each request spells the sale in another way. */
  readonly isRespelt: boolean;
  readonly content: Content;
  readonly takesPending: TakesPending;
  /** As the script sends it; undefined for a script that sends none. */
  readonly requestId: string | number | undefined;
  readonly spelling: string;
  /** A User-Agent with a short patience, or none: plain PHP. */
  readonly userAgent: string | undefined;
  /** The script hangs up after this time. */
  readonly patienceMs: number;
  /** When it is sent once more, whatever the first sending brings: up to three times within three seconds. */
  readonly twinsAfterMs: readonly number[];
  readonly moves: readonly Move[];
  /** Delays after which a script without an id sends the same again, while it has no reply. */
  readonly sendsAgainAfterMs: readonly number[];
  /** A header that names the sale, the same on each sending. */
  readonly header?: SaleHeader | undefined;
  /** A proxy in front writes an `X-Request-Id` of its own over that of each request. */
  readonly isNamedByProxy: boolean;
  /** The id in a field of the first sending alone: its repeats have the header only, and some HTTP errors are repeated too (facts, 9.1). */
  readonly firstId?: string | undefined;
  /** The delay after which a script without an id, having been told of the sale, sells the same again. */
  readonly sellsNextAfterMs?: number | undefined;
  /** Orders again under the same id after it was told failed. */
  readonly isStubborn: boolean;
  /** A sale under the same id at v1 a moment earlier, without the gateway: the same sale or another. */
  readonly soldBefore: Content | undefined;
}

export function planSale(index: number, chance: Chance, lengthMs: number): Sale {
  const hasId = !chance.is(0.2);
  const isSoldBefore = hasId && chance.is(0.04);
  // Without an id, or sold before, the sale has a number that no other row of v1's history shows.
  const content = drawContent(chance, hasId && !isSoldBefore ? undefined : index, !hasId);
  const isPatient = chance.is(0.6);
  const sale: Sale = {
    ...drawStyle(chance, hasId, content),
    name: `order ${index}`,
    startMs: chance.below(lengthMs),
    key: SCRIPT_KEYS[chance.draw(KEY_WEIGHTS)],
    content,
    takesPending: 'unknown',
    requestId: hasId ? drawRequestId(index, chance) : undefined,
    userAgent: isPatient ? undefined : 'axios/1.7',
    patienceMs: chance.is(0.15) ? chance.skewed(20, 15_000) : isPatient ? 300_000 : 30_000,
    twinsAfterMs: hasId && chance.is(0.12) ? drawTwins(chance.fork('twins')) : [],
    moves: Array.from({ length: chance.below(5) }, () => drawMove(chance, hasId, content)),
    sendsAgainAfterMs: [],
    isNamedByProxy: chance.fork('proxy').is(0.3),
    isStubborn: hasId && chance.is(0.3),
    soldBefore: isSoldBefore ? drawSoldBefore(content, index, chance) : undefined,
  };
  if (hasId) return sale;
  const named: Sale = {
    ...sale,
    ...drawImpatience(chance),
    ...(chance.is(0.3) && drawNames(`sale-${index}`, chance.fork('names'))),
  };
  // Later than the window in which v1 treats two purchases as one sent twice.
  return chance.is(0.5) ? { ...named, sellsNextAfterMs: chance.between(5_500, 60_000) } : named;
}

function drawTwins(chance: Chance): readonly number[] {
  return Array.from({ length: chance.between(1, 3) }, () => chance.skewed(1, 3_000));
}

/** What names a sale to whose repeats the script gives no id. */
export function drawNames(
  name: string,
  chance: Chance,
  names: readonly SaleHeader['name'][] = ['x-request-id', 'idempotency-key'],
): Pick<Sale, 'header' | 'firstId'> {
  const header: SaleHeader = { name: chance.pick(names), id: `trace-${name}` };
  return chance.is(0.5) ? { header, firstId: `first-${name}` } : { header };
}

/** How the script of a sale writes it, and what it calls its id. */
function drawStyle(chance: Chance, hasId: boolean, content: Content): Pick<Sale, OfStyle> {
  const format = chance.draw({ a: 4, b: 4, c: 1.5 });
  const drawn = chance.draw(KEY_STYLES);
  const isDiscoNamed = content.service === 'electricity' && chance.fork('disco').is(0.3);
  // Without an id only the words prove the repeat of a sale whose number or name has another meaning by now, or none.
  const isRespelt = chance.is(0.3) && (hasId || !(hasPlan(content) || isDiscoNamed));
  return {
    format,
    isCallKept: !hasId,
    // The scripts of format C that do not name their sales are told by the address alone.
    isPinned: chance.is(0.1) || (format === 'c' && (!hasId || chance.is(0.5))),
    isDiscoNamed,
    keyStyle: drawn === 'login' && format !== 'a' ? 'token' : drawn,
    isRespelt,
    spelling: format === 'c' ? 'ref' : chance.pick(['request-id', 'request_id', 'ref']),
  };
}

type OfStyle = keyof Style | 'keyStyle' | 'isRespelt' | 'spelling';

/** Hangs up before most replies and repeats the sale, each time within the window of repeats. */
export function drawImpatience(chance: Chance): Pick<Sale, 'patienceMs' | 'sendsAgainAfterMs'> {
  const sendsAgainAfterMs = Array.from({ length: chance.below(4) }, () =>
    chance.is(0.6) ? chance.between(10, 6_000) : chance.between(6_000, 120_000),
  );
  return { patienceMs: chance.is(0.6) ? chance.skewed(20, 15_000) : 300_000, sendsAgainAfterMs };
}

/** Two shops of one account: half of the second key's sales are made with the first key as well, mostly within seconds. */
export function withRivals(sales: readonly Sale[], chance: Chance): readonly Sale[] {
  const isPlain = ({ requestId, soldBefore }: Sale): boolean => requestId !== undefined && soldBefore === undefined;
  const models = sales.filter((sale) => sale.key === SCRIPT_KEYS.live && isPlain(sale));
  return sales.map((sale) => {
    if (sale.key !== SCRIPT_KEYS.second || !isPlain(sale) || models.length === 0 || chance.is(0.5)) return sale;
    const { content, startMs } = chance.pick(models);
    return { ...sale, content: { ...content, meanings: new Set() }, startMs: startMs + chance.skewed(0, 300_000) };
  });
}

/**
 * Draws the same sale, or a sale whose receipt is certainly different. The receipt of another meter of the same service is not: where
 * v1 serves no phone, its receipts may show the customer's phone, so a different number proves nothing.
 */
function drawSoldBefore(content: Content, index: number, chance: Chance): Content {
  const other = drawContent(chance, index + 300);
  const isTellable = other.service !== content.service || content.service === 'airtime' || content.service === 'data';
  return chance.is(0.5) && isTellable ? other : content;
}

function drawRequestId(index: number, chance: Chance): string | number {
  switch (chance.draw({ plain: 8, number: 2, long: 1, mood: 2 })) {
    case 'plain':
      return `r${index}`;
    case 'number':
      return 1_000 + index;
    case 'long':
      return `order-${index}-${'x'.repeat(80)}`;
    case 'mood':
      return `mood.${chance.pick(MOODS)}.${index}`;
  }
}

function drawMove(chance: Chance, hasId: boolean, content: Content): Move {
  const afterMs = chance.draw({ atOnce: 2, soon: 4, later: 3, muchLater: 2 });
  const delay = {
    atOnce: 0,
    soon: chance.between(100, 6_000),
    later: chance.between(6_000, 120_000),
    muchLater: chance.between(120_000, 500_000),
  };
  const kind = hasId ? chance.draw({ repeat: 5, conflict: 0.7, status: 5 }) : 'status';
  if (kind === 'repeat') return { kind, afterMs: delay[afterMs] };
  if (kind === 'conflict') return { kind, afterMs: delay[afterMs], content: drawOther(content, chance) };
  return { kind, afterMs: delay[afterMs], by: chance.draw({ 'request id': 4, number: 1, reference: 1 }) };
}

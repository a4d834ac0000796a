/** One sale as a script plans it: who sells what under which id, and how the script behaves. */
import type { Chance } from '../engine/chance';
import { drawContent, type Content } from './content';

export interface ScriptKey {
  /** As the script sends it. */
  readonly text: string;
  readonly apiKey: string;
  readonly walletId: string;
  /** False when v1 lets this key neither buy nor ask. */
  readonly isAllowed: boolean;
}

export const SCRIPT_KEYS = {
  demo: { text: 'sandbox_demo:1234', apiKey: 'sandbox_demo', walletId: 'demo:sandbox', isAllowed: true },
  live: { text: 'acme_live_demo:1234', apiKey: 'acme_live_demo', walletId: 'acme:live', isAllowed: true },
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

const KEY_WEIGHTS = { demo: 6, live: 4, locked: 2, poor: 1.5, wrongPin: 0.4, suspended: 0.3 };
const MOODS = ['decline', 'late-success', 'late-failure', 'pending', 'too-many', 'recheck-success', 'recheck-failure'];

export type Move =
  | { readonly kind: 'repeat'; readonly afterMs: number }
  /** The same id, another sale: a script that fills missing ids with the current second. */
  | { readonly kind: 'conflict'; readonly afterMs: number; readonly content: Content }
  | { readonly kind: 'status'; readonly afterMs: number; readonly by: 'request id' | 'number' | 'reference' };

export interface Sale {
  readonly name: string;
  readonly startMs: number;
  readonly key: ScriptKey;
  readonly format: 'a' | 'b';
  readonly content: Content;
  /** As the script sends it; undefined for a script that sends none. */
  readonly requestId: string | number | undefined;
  readonly spelling: string;
  /** A User-Agent with a short patience, or none: plain PHP. */
  readonly userAgent: string | undefined;
  /** After so long the script hangs up. */
  readonly patienceMs: number;
  readonly isDoubled: boolean;
  readonly moves: readonly Move[];
  /** Tries again, under the same id, what it was told had failed. */
  readonly isStubborn: boolean;
  /** Sold at v1 under the same id a moment before, past the gateway: the same sale, or another. */
  readonly soldBefore: Content | undefined;
}

export function planSale(index: number, chance: Chance, lengthMs: number): Sale {
  const hasId = !chance.is(0.1);
  const isSoldBefore = hasId && chance.is(0.04);
  // A number of its own: its row in v1's history is nobody else's.
  const content = drawContent(chance, hasId && !isSoldBefore ? undefined : index);
  const isPatient = chance.is(0.6);
  return {
    name: `order ${index}`,
    startMs: chance.below(lengthMs),
    key: SCRIPT_KEYS[chance.draw(KEY_WEIGHTS)],
    format: chance.is(0.5) ? 'a' : 'b',
    content,
    requestId: hasId ? drawRequestId(index, chance) : undefined,
    spelling: chance.pick(['request-id', 'request_id', 'ref']),
    userAgent: isPatient ? undefined : 'axios/1.7',
    patienceMs: chance.is(0.15) ? chance.skewed(20, 15_000) : isPatient ? 300_000 : 30_000,
    isDoubled: hasId && chance.is(0.12),
    moves: Array.from({ length: chance.below(5) }, () => drawMove(chance, hasId)),
    isStubborn: hasId && chance.is(0.3),
    soldBefore: isSoldBefore ? drawSoldBefore(content, index, chance) : undefined,
  };
}

/**
 * The same sale or one that its receipt tells from it. Another meter of the same service is not: where v1 serves no phone,
 * its receipts may show the customer's, so that a number which differs proves nothing.
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

function drawMove(chance: Chance, hasId: boolean): Move {
  const afterMs = chance.draw({ atOnce: 2, soon: 4, later: 3, muchLater: 2 });
  const delay = {
    atOnce: 0,
    soon: chance.between(100, 6_000),
    later: chance.between(6_000, 120_000),
    muchLater: chance.between(120_000, 500_000),
  };
  const kind = hasId ? chance.draw({ repeat: 5, conflict: 0.7, status: 5 }) : 'status';
  if (kind === 'repeat') return { kind, afterMs: delay[afterMs] };
  if (kind === 'conflict') return { kind, afterMs: delay[afterMs], content: drawContent(chance) };
  return { kind, afterMs: delay[afterMs], by: chance.draw({ 'request id': 4, number: 1, reference: 1 }) };
}

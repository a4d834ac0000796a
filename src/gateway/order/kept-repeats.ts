/** The orders that a request may repeat, in the memory of this process: by key and content, or by key and words. */
import { createLru } from '../../domain/lru';
import type { Clock } from '../../domain/clock';
import type { NewOrder } from '../../domain/order';

/** An order that may be repeated. */
export interface KeptRepeat extends Pick<NewOrder, 'requestId' | 'headerId' | 'openedAtMs'> {
  /** How long ago it was opened, by `clock.elapsed()`; absent where only the time of day is known. */
  readonly agoMs?: number;
}

/** How many contents are remembered; beyond that the oldest are forgotten. */
const CONTENTS_MAX = 20_000;
/** How many orders of one content are remembered: the newest. */
const KEPT_MAX = 8;

export interface Contents {
  of(content: string): readonly (KeptRepeat & { readonly agoMs: number })[];
  /** Puts the order first among those of its content. */
  keep(content: string, kept: KeptRepeat, windowMs: number): void;
  /** As `keep`, unless the order is kept already. */
  add(content: string, kept: KeptRepeat, windowMs: number): void;
}

/** Ages are counted by `clock.elapsed()`: if somebody sets the clock, a repeat must not become another sale. */
export function createContents(clock: Pick<Clock, 'now' | 'elapsed'>, most = CONTENTS_MAX): Contents {
  const contents = createLru<string, readonly Remembered[]>(most);
  const remembered = (content: string): readonly Remembered[] => contents.get(content) ?? [];
  const keep = (content: string, { requestId, headerId, openedAtMs, agoMs }: KeptRepeat, windowMs: number): void => {
    const elapsedMs = clock.elapsed();
    const sinceMs = elapsedMs - (agoMs ?? Math.max(0, clock.now() - openedAtMs));
    const others = remembered(content).filter((other) => other.requestId !== requestId && elapsedMs - other.sinceMs <= windowMs);
    const kept = { requestId, openedAtMs, sinceMs, ...(headerId === undefined ? {} : { headerId }) };
    contents.set(content, [kept, ...others].slice(0, KEPT_MAX));
  };
  return {
    of: (content) => remembered(content).map(({ sinceMs, ...kept }) => ({ ...kept, agoMs: clock.elapsed() - sinceMs })),
    keep,
    add(content, kept, windowMs) {
      if (!remembered(content).some(({ requestId }) => requestId === kept.requestId)) keep(content, kept, windowMs);
    },
  };
}

/** `sinceMs`: when the order was opened, by `clock.elapsed()`. */
type Remembered = Omit<KeptRepeat, 'agoMs'> & { readonly sinceMs: number };

export function keptOf({ requestId, headerId, openedAtMs }: NewOrder): KeptRepeat {
  return { requestId, openedAtMs, ...(headerId === undefined ? {} : { headerId }) };
}

export function keyOf(owner: string, contentHash: string): string {
  return `${owner} ${contentHash}`;
}

/** Key and words as one text. Records of earlier builds have no hash of their words: there it is the content. */
export function wordingOf({ owner, askedHash, contentHash }: NewOrder): string {
  return keyOf(owner, askedHash ?? contentHash);
}

/** Which orders a request may repeat, as far as this process remembers them: by key, and by what they buy or how they were said. */
import { createLru } from '../../domain/lru';
import type { Clock } from '../../domain/clock';
import type { NewOrder } from '../../domain/order';

/** An order that may be repeated. */
export interface KeptRepeat extends Pick<NewOrder, 'requestId' | 'headerId' | 'openedAtMs'> {
  /** How long ago it was opened, by the clock that nobody can set; absent where only the time of day tells. */
  readonly agoMs?: number;
}

/** By key and content; beyond it the oldest are forgotten. */
const CONTENTS_MAX = 20_000;
/** Orders of one content: the newest of them. */
const KEPT_MAX = 8;

export interface Contents {
  of(content: string): readonly (KeptRepeat & { readonly agoMs: number })[];
  /** As the newest of its content. */
  keep(content: string, kept: KeptRepeat, windowMs: number): void;
  /** Unless it is kept already. */
  add(content: string, kept: KeptRepeat, windowMs: number): void;
}

/** Ages go by the clock that nobody can set: an hour that was only put on the wall makes no repeat another sale. */
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

/** `sinceMs`: when it was opened, by `clock.elapsed()`. */
type Remembered = Omit<KeptRepeat, 'agoMs'> & { readonly sinceMs: number };

export function keptOf({ requestId, headerId, openedAtMs }: NewOrder): KeptRepeat {
  return { requestId, openedAtMs, ...(headerId === undefined ? {} : { headerId }) };
}

export function keyOf(owner: string, contentHash: string): string {
  return `${owner} ${contentHash}`;
}

/** Of a record of an earlier build, which kept no words, the content. */
export function wordingOf({ owner, askedHash, contentHash }: NewOrder): string {
  return keyOf(owner, askedHash ?? contentHash);
}

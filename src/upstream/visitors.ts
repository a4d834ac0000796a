/**
 * Remembers which keys v1 has accepted or refused at which addresses, and when. v1 has an allowlist of addresses per key, so a key
 * accepted at one address may be refused at another. Price lists and orders of the journal are shown only by this memory. It is
 * bounded and lost with the process; a visit that was forgotten is judged by v1 again.
 */
import { createLru } from '../domain/lru';
import type { AnswerListener } from './listen-to-answers';
import type { CallContext, Finding, Upstream } from './upstream';

export interface Visitors {
  /** v1 answered a call of this key from this address. */
  accept(visit: Visit): void;
  /** v1 refused a call of this key from this address. v1 is not asked about them again for `PAUSE_MS`. */
  refuse(visit: Visit, refusal: Refusal): void;
  /** v1 refused a call, perhaps not because of key or address: an earlier acceptance counts no longer. */
  doubt(visit: Visit): void;
  /** v1 accepted this key at this address within `FRESH_MS` and has not refused it since. */
  isFresh(visit: Visit): boolean;
  /** v1 accepted this key at this address within `FRESH_MS + staleMs` and has not refused it since. */
  isKnown(visit: Visit): boolean;
  /** True while v1 should not be asked, because it has just refused this key at this address or gave no answer. */
  isPaused(visit: Visit): boolean;
  /** v1's last judgement, if it is a refusal not older than `staleMs`. */
  refusalOf(visit: Visit): Refusal | undefined;
  /** A number that rises with every refusal of the key, at any address. */
  refusalsOf(fingerprint: string): number;
  /** Asks v1 by a balance call, one at a time for a key and address. Never throws. */
  ask(context: CallContext): Promise<void>;
}

export type Visit = Pick<CallContext, 'credentials' | 'clientAddress'>;
export type Refusal = Extract<Finding, { kind: 'refused' }>;

interface VisitorOptions {
  readonly upstream: Pick<Upstream, 'find'>;
  /** How long beyond `FRESH_MS` an acceptance counts where v1 cannot be asked. */
  readonly staleMs?: number;
  /** Called whenever v1 accepts a key that the caller at this address has sent. */
  readonly onAccepted?: (clientAddress: string) => void;
  readonly clock?: () => number;
}

interface Judgement {
  /** Rises with every judgement and shows which of two is the later one. */
  readonly nth: number;
  readonly atMs: number;
}

interface Refused extends Judgement {
  /** Undefined when the refusal may have been about something other than key and address. */
  readonly refusal: Refusal | undefined;
}

/** Refusal and pause of a key at one address. */
interface Trouble {
  readonly refused?: Refused | undefined;
  readonly pausedUntilMs: number;
}

/** Refusals of a key at any address. */
interface KeyTrouble {
  readonly refusals: number;
  /** The last refusal of the key itself, if v1 has not accepted the key since. */
  readonly refused?: Refused | undefined;
}

export const FRESH_MS = 60_000;
export const STALE_MS = 24 * 60 * 60_000;
const PAUSE_MS = 2_000;
const ASK_TIMEOUT_MS = 10_000;
/** For each of the three memories, so that refusals of strangers' keys cannot push out visits that v1 has accepted. */
const VISITORS_MAX = 10_000;
const MESSAGE_MAX = 500;
/** The key is wrong or revoked, or its account is suspended: this holds at every address. */
const KEY_REFUSED = 401;

export function createVisitors(options: VisitorOptions): Visitors {
  const { upstream, staleMs = STALE_MS, clock = Date.now } = options;
  const accepted = createLru<string, Judgement>(VISITORS_MAX);
  const troubles = createLru<string, Trouble>(VISITORS_MAX);
  const keys = createLru<string, KeyTrouble>(VISITORS_MAX);
  const questions = new Map<string, Promise<void>>();
  let judgements = 0;

  const judgement = (): Judgement => ({ nth: (judgements += 1), atMs: clock() });

  /** v1's last refusal of the key at this address, or of the key, if v1 has not accepted it since. */
  function lastRefused(visit: Visit): Refused | undefined {
    const here = troubles.get(visitorOf(visit))?.refused;
    const anywhere = keys.get(visit.credentials.fingerprint)?.refused;
    const last = (here?.nth ?? 0) > (anywhere?.nth ?? 0) ? here : anywhere;
    return (last?.nth ?? 0) > (accepted.get(visitorOf(visit))?.nth ?? 0) ? last : undefined;
  }

  function ageOf(visit: Visit): number {
    const last = accepted.get(visitorOf(visit));
    return last === undefined || lastRefused(visit) !== undefined ? Infinity : clock() - last.atMs;
  }

  function refuse(visit: Visit, refusal: Refusal | undefined): void {
    const refused: Refused = { ...judgement(), refusal };
    const { fingerprint } = visit.credentials;
    accepted.delete(visitorOf(visit));
    const isKeyRefused = refusal?.httpStatus === KEY_REFUSED;
    keys.set(fingerprint, { refusals: refused.nth, refused: isKeyRefused ? refused : keys.get(fingerprint)?.refused });
    troubles.set(visitorOf(visit), { refused, pausedUntilMs: refusal === undefined ? 0 : clock() + PAUSE_MS });
  }

  const visitors: Visitors = {
    accept(visit) {
      accepted.set(visitorOf(visit), judgement());
      if (visit.credentials.isLookupKey !== true) options.onAccepted?.(visit.clientAddress);
      troubles.delete(visitorOf(visit));
      // v1 accepts the key, so an earlier refusal of the key itself no longer holds.
      const { fingerprint } = visit.credentials;
      const trouble = keys.get(fingerprint);
      if (trouble?.refused !== undefined) keys.set(fingerprint, { refusals: trouble.refusals });
    },
    refuse: (visit, { httpStatus, message }) => refuse(visit, shortRefusal(httpStatus, message)),
    doubt: (visit) => refuse(visit, undefined),
    isFresh: (visit) => ageOf(visit) < FRESH_MS,
    isKnown: (visit) => ageOf(visit) < FRESH_MS + staleMs,
    isPaused: (visit) => clock() < (troubles.get(visitorOf(visit))?.pausedUntilMs ?? 0),
    refusalOf(visit) {
      const last = lastRefused(visit);
      return last !== undefined && clock() - last.atMs < staleMs ? last.refusal : undefined;
    },
    refusalsOf: (fingerprint) => keys.get(fingerprint)?.refusals ?? 0,
    ask(context) {
      const name = visitorOf(context);
      const running = questions.get(name);
      if (running !== undefined) return running;
      const asking = upstream.find(BALANCE, { ...context, timeoutMs: ASK_TIMEOUT_MS }).then((finding) => {
        noteFinding(BALANCE.path, finding, context, visitors);
        if (finding.kind === 'found' || visitors.isPaused(context)) return;
        const pausedUntilMs = clock() + pauseAfter(finding);
        troubles.set(name, { ...troubles.get(name), pausedUntilMs });
      });
      const ended = asking.finally(() => questions.delete(name));
      questions.set(name, ended);
      return ended;
    },
  };
  return visitors;
}

const BALANCE = { method: 'GET', path: '/balance' } as const;
/** Paths at which v1's 403 is about key and address. At others the 403 may mean that the service is switched off. */
const ABOUT_NO_SERVICE: ReadonlySet<string> = new Set([BALANCE.path, '/catalog', '/receipt', '/transactions']);

/** Notes what v1's answer to a call that moves no money shows about the call's key and address. */
export function noteFinding(
  path: string,
  finding: Finding,
  visit: Visit,
  visitors: Pick<Visitors, 'accept' | 'refuse' | 'doubt'>,
): void {
  if (finding.kind === 'found') return visitors.accept(visit);
  if (finding.kind !== 'refused' || !isKeyRefusal(finding.httpStatus)) return;
  if (finding.httpStatus === KEY_REFUSED || ABOUT_NO_SERVICE.has(path)) visitors.refuse(visit, finding);
  else visitors.doubt(visit);
}

/** Section 7: 401 means a wrong, revoked or suspended key; 403 one that may not use the API, or not from this address. */
export function isKeyRefusal(httpStatus: number): boolean {
  return httpStatus === KEY_REFUSED || httpStatus === 403;
}

/** How long v1 is not asked again after an answer without a price list or a judgement of the key, in ms. */
export function pauseAfter(finding: Finding): number {
  const asked = finding.kind === 'refused' ? (finding.retryAfterSeconds ?? 0) * 1000 : 0;
  return Math.max(PAUSE_MS, Math.min(asked, FRESH_MS));
}

function shortRefusal(httpStatus: number, message: string | undefined): Refusal {
  const said = message === undefined ? {} : { message: message.slice(0, MESSAGE_MAX) };
  return { kind: 'refused', httpStatus, ...said, body: { status: 'error', ...said } };
}

export function visitorOf({ credentials, clientAddress }: Visit): string {
  return `${credentials.fingerprint} ${clientAddress}`;
}

/** A listener that notes in `visitors` each answer that judges the call's key and address. The answer to any call can do so. */
export function tellVisitors(visitors: Pick<Visitors, 'accept' | 'refuse' | 'doubt'>): AnswerListener {
  return {
    sent({ outcome }, _requestId, { call, context }) {
      if (outcome.kind === 'rejected') {
        const { httpStatus, message } = outcome;
        const said = message === undefined ? {} : { message };
        if (isKeyRefusal(httpStatus))
          noteFinding(call.path, { kind: 'refused', httpStatus, ...said, body: {} }, context, visitors);
      } else if (outcome.kind !== 'unknown' && outcome.kind !== 'not_sent') visitors.accept(context);
    },
    found: (finding, { call, context }) => noteFinding(call.path, finding, context, visitors),
  };
}

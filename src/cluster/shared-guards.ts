/**
 * In the primary: the one guard of PINs and the one of keys, and the one order of repeats, for all workers. A worker asks here before it tries what
 * may be wrong; what v1 has accepted already costs no question.
 */
import type { Clock } from '../domain/clock';
import { type Credentials, Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import { createKeyGuard, type Visit } from '../gateway/key-guard';
import { createPinGuard, type PinVerdict, takePinTurns } from '../gateway/order/pin-guard';
import { createContents } from '../gateway/order/kept-repeats';
import { createTurns } from '../gateway/order/repeats';
import type { SentOutcome, Upstream, V1Call } from '../upstream/upstream';
import type { KeyJudged, KeyRefusal, KeyVisit, PinTurn, PinTurnAsked, PinTurnDone, RepeatKept, RepeatTurn } from './line';

export interface SharedGuards {
  /** A turn ends by `pinDone`, or with its worker. */
  pinTurn(asked: PinTurnAsked, worker: number): Promise<PinTurn>;
  pinDone(done: PinTurnDone): void;
  pinVerdict(verdict: PinVerdict): void;
  /** Undefined: v1 may be asked. */
  keyEnter(visit: KeyVisit): Promise<KeyRefusal | undefined>;
  keyVerdict(judged: KeyJudged): void;
  repeatTurn(content: string, worker: number): Promise<RepeatTurn>;
  repeatDone(turn: number): void;
  repeatKept(kept: RepeatKept): void;
  /** A worker has died: its turns are over. */
  forget(worker: number): void;
}

const NO_CALL: V1Call = { method: 'POST', path: '/' };
const HASH_MARK = 'pin '.length;
const NO_KEY = new Secret('');

export function createSharedGuards(clock: Clock): SharedGuards {
  // What comes here is hashed already.
  const pins = createPinGuard(clock, { hash: (text) => text.slice(HASH_MARK) });
  const keys = createKeyGuard({ clock, journal: { hasReference: () => Promise.resolve(false) } });
  const contents = createContents(clock);
  const inContentTurn = createTurns();
  const turns = createOpenTurns();

  /** What a worker sends in its turn; the guard has heard what v1 said when it comes back. */
  const begun = new Map<string, (over: () => void) => void>();
  const send: Upstream['send'] = (_call, ask) =>
    new Promise<SentOutcome>((resolve) => {
      const over = (): void => resolve({ outcome: { kind: 'unknown', reason: 'told by the worker' }, isDuplicate: true });
      begun.get(ask)?.(over);
    });
  const inPinTurn = takePinTurns(
    { send, find: () => Promise.reject(new Error('nothing is asked here')), close: () => Promise.resolve() },
    pins,
    clock,
  );
  let asks = 0;

  return {
    pinTurn({ fingerprint, pin, timeoutMs }, worker) {
      const ask = String((asks += 1));
      const life = turns.lifeOf(worker);
      const credentials: Credentials = { apiKey: NO_KEY, fingerprint, pin: new Secret(pin) };
      return new Promise<PinTurn>((resolve) => {
        begun.set(ask, (over) => resolve({ turn: turns.begin(life, over) }));
        void inPinTurn(NO_CALL, ask, { credentials, clientAddress: '', timeoutMs }).then(({ outcome }) => {
          begun.delete(ask);
          if (outcome.kind === 'rejected') resolve({ refusal: outcome.message ?? '' });
        });
      });
    },
    pinDone({ turn, verdict }) {
      if (verdict !== undefined) pins.hear(verdict);
      turns.end(turn);
    },
    pinVerdict: (verdict) => pins.hear(verdict),
    async keyEnter(visit) {
      try {
        await keys.enter(visitOf(visit));
        return undefined;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const { code, detail, retryAfterSeconds } = error;
        return { code, detail, retryAfterSeconds };
      }
    },
    keyVerdict: (judged) => keys.note(visitOf(judged), judged.verdict),
    repeatTurn(content, worker) {
      const life = turns.lifeOf(worker);
      return new Promise((resolve) => {
        void inContentTurn(
          content,
          () => new Promise<void>((over) => resolve({ turn: turns.begin(life, over), kept: contents.of(content) })),
        );
      });
    },
    repeatDone: turns.end,
    repeatKept: ({ content, kept, windowMs }) => contents.keep(content, kept, windowMs),
    forget: turns.endOf,
  };
}

/** One worker until it dies; whoever takes its place has another, under the same number. */
interface Life {
  isOver: boolean;
}

interface OpenTurns {
  /** Of whoever has this number now. */
  lifeOf(worker: number): Life;
  /** Gives the number by which it ends. The turn of a worker that has died while it waited is over at once. */
  begin(life: Life, onEnd: () => void): number;
  readonly end: (turn: number) => void;
  /** The worker of this number has died: all of its turns. */
  readonly endOf: (worker: number) => void;
}

function createOpenTurns(): OpenTurns {
  const turns = new Map<number, { readonly life: Life; readonly onEnd: () => void }>();
  const lives = new Map<number, Life>();
  let last = 0;
  const end = (turn: number): void => {
    turns.get(turn)?.onEnd();
    turns.delete(turn);
  };
  return {
    lifeOf(worker) {
      const life = lives.get(worker) ?? { isOver: false };
      lives.set(worker, life);
      return life;
    },
    begin(life, onEnd) {
      turns.set((last += 1), { life, onEnd });
      const turn = last;
      if (life.isOver) end(turn);
      return turn;
    },
    end,
    endOf(worker) {
      const life = lives.get(worker);
      if (life === undefined) return;
      lives.delete(worker);
      life.isOver = true;
      for (const [turn, { life: its }] of turns) if (its === life) end(turn);
    },
  };
}

function visitOf({ fingerprint, address }: KeyVisit): Visit {
  return { credentials: { apiKey: NO_KEY, fingerprint }, clientAddress: address };
}

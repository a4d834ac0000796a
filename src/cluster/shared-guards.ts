/**
 * In the primary: the guards of PINs and keys and the turns of repeats, shared by all workers. A worker asks here before it tries a PIN or key that
 * may be wrong. It does not ask about one that v1 has accepted already.
 */
import type { Clock } from '../domain/clock';
import { type Credentials, Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import { createTurns } from '../domain/steps';
import { createKeyGuard } from '../gateway/key-guard';
import { createPinGuard, type PinVerdict } from '../gateway/order/pin-guard';
import { takePinTurns } from '../gateway/order/pin-turns';
import { createContents } from '../gateway/order/kept-repeats';
import type { SentOutcome, Upstream, V1Call } from '../upstream/upstream';
import type { Visit } from '../upstream/visitors';
import type { KeyJudged, KeyRefusal, KeyVisit, PinTurn, PinTurnAsked, PinTurnDone, RepeatKept, RepeatTurn } from './channel';

export type SharedGuards = ReturnType<typeof createSharedGuards>;

const NO_CALL: V1Call = { method: 'POST', path: '/' };
const HASH_MARK = 'pin '.length;
const NO_KEY = new Secret('');

export function createSharedGuards(clock: Clock) {
  // PINs are hashed by the workers already.
  const pins = createPinGuard(clock, { hash: (text) => text.slice(HASH_MARK) });
  const keys = createKeyGuard({ clock, journal: { hasReference: () => Promise.resolve(false) } });
  const contents = createContents(clock);
  const takeContentTurn = createTurns();
  const turns = createOpenTurns();

  /** The functions that begin a worker's turn, by the number of its question. `over` lets the guard go on; `pinDone` has given the verdict before. */
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
    /** The turn ends with `pinDone` or with the death of its worker. */
    pinTurn({ fingerprint, pin, timeoutMs }: PinTurnAsked, worker: number): Promise<PinTurn> {
      const ask = String((asks += 1));
      const run = turns.runOf(worker);
      const credentials: Credentials = { apiKey: NO_KEY, fingerprint, pin: new Secret(pin) };
      return new Promise<PinTurn>((resolve) => {
        begun.set(ask, (over) => resolve({ turn: turns.begin(run, over) }));
        void inPinTurn(NO_CALL, ask, { credentials, clientAddress: '', timeoutMs }).then(({ outcome }) => {
          begun.delete(ask);
          if (outcome.kind === 'rejected') resolve({ refusal: outcome.message ?? '' });
        });
      });
    },
    pinDone({ turn, verdict }: PinTurnDone): void {
      if (verdict !== undefined) pins.applyVerdict(verdict);
      turns.end(turn);
    },
    pinVerdict: (verdict: PinVerdict) => pins.applyVerdict(verdict),
    /** Undefined when v1 may be asked. */
    async keyEnter(visit: KeyVisit): Promise<KeyRefusal | undefined> {
      try {
        await keys.enter(visitOf(visit));
        return undefined;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const { code, detail, retryAfterSeconds } = error;
        return { code, detail, retryAfterSeconds };
      }
    },
    keyVerdict: (judged: KeyJudged) => keys.note(visitOf(judged), judged.verdict),
    async repeatTurn(content: string, worker: number): Promise<RepeatTurn> {
      const run = turns.runOf(worker);
      const end = await takeContentTurn(content);
      return { turn: turns.begin(run, end), kept: contents.of(content) };
    },
    repeatDone: turns.end,
    repeatKept: ({ content, kept, windowMs }: RepeatKept) => contents.keep(content, kept, windowMs),
    /** Ends the turns of a worker that has died. */
    forget: turns.endOf,
  };
}

/** One run of a worker process. Its replacement is another run with the same number. */
interface WorkerRun {
  isOver: boolean;
}

function createOpenTurns() {
  const turns = new Map<number, { readonly run: WorkerRun; readonly onEnd: () => void }>();
  const runs = new Map<number, WorkerRun>();
  let last = 0;
  const end = (turn: number): void => {
    turns.get(turn)?.onEnd();
    turns.delete(turn);
  };
  return {
    /** The run of the worker that has this number now. */
    runOf(worker: number): WorkerRun {
      const run = runs.get(worker) ?? { isOver: false };
      runs.set(worker, run);
      return run;
    },
    /** Begins a turn and returns its number for `end`. The turn of a worker that died while it waited ends at once. */
    begin(run: WorkerRun, onEnd: () => void): number {
      turns.set((last += 1), { run, onEnd });
      const turn = last;
      if (run.isOver) end(turn);
      return turn;
    },
    end,
    /** Ends all turns of the worker of this number, which has died. */
    endOf: (worker: number): void => {
      const run = runs.get(worker);
      if (run === undefined) return;
      runs.delete(worker);
      run.isOver = true;
      for (const [turn, { run: its }] of turns) if (its === run) end(turn);
    },
  };
}

function visitOf({ fingerprint, address }: KeyVisit): Visit {
  return { credentials: { apiKey: NO_KEY, fingerprint }, clientAddress: address };
}

import { Dispatcher } from 'undici';
import { createVirtualClock } from '../domain/virtual-clock';
import { exchange, type Exchanged, type Wire } from '../../src/upstream/exchange';

const WIRE: Wire = { method: 'POST', path: '/airtime', headers: [], body: '{}' };

/** A dispatcher that calls the handler as the test demands, for states that a real connection cannot be brought into. */
class ScriptedDispatcher extends Dispatcher {
  constructor(private readonly act: (handler: Required<Dispatcher.DispatchHandler>) => void) {
    super();
  }

  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.act(handler as Required<Dispatcher.DispatchHandler>);
    return true;
  }
}

function controller() {
  const aborted: Error[] = [];
  return {
    aborted,
    controller: { abort: (reason: Error) => void aborted.push(reason) } as unknown as Dispatcher.DispatchController,
  };
}

const play = (act: (handler: Required<Dispatcher.DispatchHandler>) => void, timeoutMs = 1_000): Promise<Exchanged> =>
  exchange(new ScriptedDispatcher(act), WIRE, { timeoutMs, replyBytesMax: 1_000 });

describe('an exchange', () => {
  it('refuses to be written twice', async () => {
    const first = controller();
    const second = controller();
    const exchanged = await play((handler) => {
      handler.onRequestStart(first.controller, {});
      handler.onRequestStart(second.controller, {});
      handler.onResponseError(second.controller, second.aborted[0] ?? new Error('was not aborted'));
    });
    expect(first.aborted).toEqual([]);
    expect(second.aborted).toHaveLength(1);
    expect(exchanged).toMatchObject({ kind: 'failed', isStarted: true, codes: ['WRITTEN_TWICE'] });
  });

  it('refuses to be written after its deadline', async () => {
    const late = controller();
    let start = (): void => undefined;
    const exchanged = await play((handler) => (start = () => handler.onRequestStart(late.controller, {})), 20);
    expect(exchanged).toMatchObject({ kind: 'failed', isStarted: false, codes: ['DEADLINE_PASSED'] });
    start();
    expect(late.aborted).toHaveLength(1);
  });

  it('names its deadline in whole milliseconds, because an operator reads it in the story of an order', async () => {
    const exchanged = await play((handler) => handler.onRequestStart(controller().controller, {}), 20.4);
    expect(exchanged).toMatchObject({ codes: ['DEADLINE_PASSED'], detail: 'no complete answer within 20 ms' });
  });

  it('refuses to be written after its deadline by the clock, when a stopped process handles its connection before its timers', async () => {
    const late = controller();
    const exchanged = await play((handler) => {
      // Blocks the process, as if it were stopped.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      handler.onRequestStart(late.controller, {});
    }, 20);
    expect(late.aborted).toHaveLength(1);
    expect(exchanged).toMatchObject({ kind: 'failed', isStarted: false, codes: ['DEADLINE_PASSED'] });
  });

  it.each(['now', 'elapsed'] as const)('refuses to be written late when only `%s` of the clock advanced', async (moving) => {
    const late = controller();
    let atMs = 0;
    const clock = { ...createVirtualClock(), now: () => 0, elapsed: () => 0, [moving]: () => atMs };
    const act = (handler: Required<Dispatcher.DispatchHandler>): void => {
      atMs = 60_000;
      handler.onRequestStart(late.controller, {});
    };
    const exchanged = await exchange(new ScriptedDispatcher(act), WIRE, { timeoutMs: 60_000, replyBytesMax: 1_000 }, clock);
    expect(late.aborted).toHaveLength(1);
    expect(exchanged).toMatchObject({ kind: 'failed', isStarted: false, codes: ['DEADLINE_PASSED'] });
  });

  it('is not written when the caller has hung up or the time to leave has passed, also with a long deadline for the answer', async () => {
    const unwanted = controller();
    const limits = { timeoutMs: 60_000, replyBytesMax: 1_000 };
    const refused = await exchange(new ScriptedDispatcher((handler) => handler.onRequestStart(unwanted.controller, {})), WIRE, {
      ...limits,
      mayLeave: () => false,
    });
    expect(unwanted.aborted).toHaveLength(1);
    const stuck = await exchange(new ScriptedDispatcher(() => undefined), WIRE, { ...limits, leaveWithinMs: 20 });
    for (const exchanged of [refused, stuck])
      expect(exchanged).toMatchObject({ kind: 'failed', isStarted: false, codes: ['DEADLINE_PASSED'] });
  });

  it('has its whole deadline for the answer once it has left in time', async () => {
    const exchanged = await exchange(
      new ScriptedDispatcher((handler) => {
        handler.onRequestStart(controller().controller, {});
        setTimeout(() => {
          handler.onResponseStart(controller().controller, 200, {}, 'OK');
          handler.onResponseEnd(controller().controller, {});
        }, 60);
      }),
      WIRE,
      { timeoutMs: 5_000, leaveWithinMs: 20, replyBytesMax: 1_000 },
    );
    expect(exchanged).toMatchObject({ kind: 'answered', httpStatus: 200 });
  });

  it('fails without a byte sent when the connection throws at once', async () => {
    const exchanged = await play(() => {
      throw Object.assign(new Error('no'), { code: 'UND_ERR_DESTROYED' });
    });
    expect(exchanged).toMatchObject({ kind: 'failed', isStarted: false, codes: ['UND_ERR_DESTROYED'] });
  });

  it('lists the error code of every address that was tried', async () => {
    const refused = (code: string) => Object.assign(new Error(code), { code });
    const errors = new AggregateError([refused('ECONNREFUSED'), new AggregateError([refused('ENETUNREACH')])], 'all failed');
    expect(await play((handler) => handler.onResponseError(controller().controller, errors))).toMatchObject({
      codes: ['ECONNREFUSED', 'ENETUNREACH'],
    });
  });

  it.each([undefined, null, 'words', {}, new Error('x'), Object.assign(new Error('x'), { code: 5 }), new AggregateError([])])(
    'gives NO_CODE for the error %p',
    async (error) => {
      const exchanged = await play((handler) => handler.onResponseError(controller().controller, error as Error));
      expect(exchanged).toMatchObject({ kind: 'failed', codes: ['NO_CODE'] });
    },
  );

  it('ignores an error after its end', async () => {
    const { controller: one, aborted } = controller();
    const exchanged = await play((handler) => {
      handler.onRequestStart(one, {});
      handler.onResponseStart(one, 200, {});
      handler.onResponseData(one, Buffer.from('{'));
      handler.onResponseData(one, Buffer.from('}'));
      handler.onResponseEnd(one, {});
      handler.onResponseError(one, new Error('late'));
    });
    expect(exchanged).toEqual({ kind: 'answered', httpStatus: 200, text: '{}', retryAfter: undefined });
    expect(aborted).toEqual([]);
  });

  it('joins a character that is split between two chunks', async () => {
    const bytes = Buffer.from('{"name":"Adé"}');
    const { controller: one } = controller();
    const exchanged = await play((handler) => {
      handler.onRequestStart(one, {});
      handler.onResponseStart(one, 200, { 'retry-after': ['3', '9'] });
      for (const byte of bytes) handler.onResponseData(one, Buffer.from([byte]));
      handler.onResponseEnd(one, {});
    });
    expect(exchanged).toMatchObject({ text: '{"name":"Adé"}', retryAfter: '3' });
  });
});

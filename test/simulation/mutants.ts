/**
 * Gateways that are broken on purpose, each by a mistake that has cost money somewhere. `mutants.test.ts` requires that the
 * simulation notices each of them.
 */
import { GatewayError } from '../../src/domain/errors';
import type { JsonObject } from '../../src/domain/json';
import type { LegacyRequest, Line } from '../../src/domain/legacy';
import type { Opened, Order } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import type { Served } from '../../src/gateway/gateway';
import type { Gateway } from '../../src/gateway/gateway';
import type { GatewayParts } from '../../src/gateway/walk-parts';
import { NOT_SENT } from '../../src/journal/doubts';
import type { Journal } from '../../src/journal/journal';
import type { Finding, SentOutcome, Upstream } from '../../src/upstream/upstream';
import { withBuyAfterPending } from './edge/house-parts';
import type { Mutation } from './edge/gateway-process';
import { SCRIPT_KEYS } from './script/sale';

export interface Mutant {
  /** The mistake. */
  readonly title: string;
  /** The invariant that it violates. */
  readonly breaks: string;
  /** The first seed to play, where the mistake shows only under rare faults, or breaks other invariants first. */
  readonly firstSeed?: number;
  readonly mutation: Mutation;
}

const KEYS = Object.values(SCRIPT_KEYS).map(({ apiKey }) => apiKey);

function withParts(change: (parts: GatewayParts) => Partial<GatewayParts>): Mutation {
  return { parts: (parts) => ({ ...parts, ...change(parts) }) };
}

function withUpstream(change: (upstream: Upstream) => Partial<Upstream>): Mutation {
  return withParts(({ upstream }) => ({ upstream: { ...upstream, ...change(upstream) } }));
}

function withJournal(change: (journal: Journal, parts: GatewayParts) => Partial<Journal>): Mutation {
  return withParts((parts) => ({ journal: { ...parts.journal, ...change(parts.journal, parts) } }));
}

/** Changes what v1's answers to questions hold. */
function withFound(change: (body: JsonObject, path: string) => JsonObject): Mutation {
  return withUpstream((upstream) => ({
    find: async (call, context): Promise<Finding> => {
      const finding = await upstream.find(call, context);
      return finding.kind === 'found' ? { ...finding, body: change(finding.body, call.path) } : finding;
    },
  }));
}

/** Changes the outcome of every answer to a purchase, and leaves out the body, which would contradict it. */
function withOutcome(change: (outcome: Outcome) => Outcome): Mutation {
  return withUpstream((upstream) => ({
    send: async (...call): Promise<SentOutcome> => {
      const { body, ...sent } = await upstream.send(...call);
      const outcome = change(sent.outcome);
      return outcome === sent.outcome && body !== undefined ? { ...sent, body } : { ...sent, outcome };
    },
  }));
}

function withServed(change: (served: Served) => Served): Mutation {
  return {
    gateway: (gateway) => {
      const handle = gateway.handle.bind(gateway);
      return Object.assign(gateway, {
        handle: async (...asked: Parameters<Gateway['handle']>) => change(await handle(...asked)),
      });
    },
  };
}

/** Sends the ids of one header under the name of another. */
function withHeader(from: string, to: string): Mutation {
  return {
    gateway: (gateway) => {
      const handle = gateway.handle.bind(gateway);
      return Object.assign(gateway, {
        handle: ({ headers, ...request }: LegacyRequest, line: Line) => {
          const { [from]: id, ...sent } = headers.sent ?? {};
          return handle({ ...request, headers: { ...headers, sent: id === undefined ? sent : { ...sent, [to]: id } } }, line);
        },
      });
    },
  };
}

function withWords(served: Served, words: JsonObject): Served {
  return { ...served, reply: { ...served.reply, body: { ...(served.reply.body as JsonObject), ...words } } };
}

export const MUTANTS: readonly Mutant[] = [
  {
    title: 'a lost answer counts as proof that nothing was sent',
    breaks: 'failure is true',
    mutation: withOutcome((outcome) => (outcome.kind === 'unknown' ? { kind: 'not_sent', reason: 'believed' } : outcome)),
  },
  {
    title: 'a server error counts as a rejection',
    breaks: 'failure is true',
    mutation: withOutcome((outcome) => (outcome.kind === 'unknown' ? { kind: 'rejected', httpStatus: 400 } : outcome)),
  },
  {
    title: 'a pending order counts as sold',
    breaks: 'success is true',
    mutation: withUpstream((upstream) => ({
      send: async (...call): Promise<SentOutcome> => {
        const { outcome, isDuplicate, ...sent } = await upstream.send(...call);
        // The body is left out, because its `pending` would take the success back.
        return outcome.kind === 'pending'
          ? { outcome: { ...outcome, kind: 'succeeded' }, isDuplicate }
          : { outcome, isDuplicate, ...sent };
      },
    })),
  },
  {
    title: 'an overloaded gateway turns purchases away without asking the journal',
    breaks: 'failure is true',
    firstSeed: 17,
    mutation: {
      gateway: (gateway, { crowdedSeconds }) => {
        const handle = gateway.handle.bind(gateway);
        const turnAway = (path: string): Served => {
          const refusal = new GatewayError('overloaded');
          return { reply: gateway.refuse(refusal, { method: 'POST', path }), refusal } as Served;
        };
        return Object.assign(gateway, {
          handle: async (...[request, line]: Parameters<Gateway['handle']>) => {
            const isShed = request.method === 'POST' && crowdedSeconds?.(request.path, '', 0) !== undefined;
            return isShed ? turnAway(request.path) : handle(request, line);
          },
        });
      },
    },
  },
  {
    title: 'an order is sent without a journal',
    breaks: 'journalled before it is sent',
    mutation: withJournal(() => ({
      open: async (intent): Promise<Opened> => ({ kind: 'opened', order: { ...intent, number: 1, attempts: 1 } }),
    })),
  },
  {
    title: 'another sale under the same request id is taken for a repeat',
    breaks: 'success is true',
    mutation: withJournal((journal) => ({
      open: async (intent): Promise<Opened> => {
        const opened = await journal.open(intent);
        return opened.kind === 'conflict' ? { ...opened, kind: 'found' } : opened;
      },
    })),
  },
  {
    title: 'every attempt has a request id of its own',
    breaks: 'nothing is charged unasked',
    mutation: withUpstream((upstream) => {
      let attempts = 0;
      return { send: (call, requestId, context) => upstream.send(call, `${requestId}.${(attempts += 1)}`, context) };
    }),
  },
  {
    title: 'a lost order counts as never sent after four seconds',
    breaks: 'failure is true',
    firstSeed: 16,
    mutation: withParts(({ mapping }) => ({
      mapping: () => ({ ...mapping(), timing: { ...mapping().timing, quiet: 4_000 } }),
    })),
  },
  {
    title: 'a lost order may take a reference that another order has',
    breaks: 'every order is answerable',
    firstSeed: 6,
    mutation: withJournal(() => ({ findByReference: async () => undefined })),
  },
  {
    title: 'a lost order may take a sale of another key of its account',
    breaks: 'success is true',
    mutation: withJournal((journal) => ({
      listByReference: async () => [],
      listUnsettled: async (options) => (options.owner === undefined ? [] : journal.listUnsettled(options)),
    })),
  },
  {
    title: 'a repeat is not recognised by its fields when the mapping gives them another meaning',
    breaks: 'failure is true',
    firstSeed: 5,
    mutation: withJournal((journal) => ({
      open: (intent) => {
        const { trail, ...anew } = { ...intent, wordsHash: `${intent.requestId} ${intent.openedAtMs}` };
        return trail === undefined ? journal.open(intent) : journal.open(anew);
      },
    })),
  },
  {
    title: 'an order told pending without a readable journal has failed, whatever the journal has',
    breaks: 'failure is true',
    firstSeed: 3002,
    mutation: withJournal((journal) => {
      const doubted = new Map<string, Order>();
      const keyOf = (owner: string, requestId: string): string => `${owner} ${requestId}`;
      return {
        doubt: (intent) =>
          void doubted.set(keyOf(intent.owner, intent.requestId), { ...intent, number: 1, attempts: 1, outcome: NOT_SENT }),
        find: async (owner, requestId) => doubted.get(keyOf(owner, requestId)) ?? journal.find(owner, requestId),
      };
    }),
  },
  {
    title: 'an order that the mapping refuses by now is not looked up in the journal',
    breaks: 'failure is true',
    mutation: withJournal((journal, { mapping }) => ({
      find: async (...asked) => (['withdrawn', 'paused'].includes(mapping().hash) ? undefined : journal.find(...asked)),
    })),
  },
  {
    title: 'a process that has stood still does not ask what the others have told',
    breaks: 'one charge per intent',
    firstSeed: 3100,
    mutation: withParts(() => ({ toldSales: () => undefined })),
  },
  {
    title: 'what a script was told counts as not told',
    breaks: 'PINs are told to one customer',
    firstSeed: 5178,
    mutation: {
      gateway: (gateway) => {
        const handle = gateway.handle.bind(gateway);
        const deaf = (line: Line): Line => ({ ageMs: 0, hasHungUp: false, onEnd: (run) => line.onEnd(() => run(false)) });
        return Object.assign(gateway, { handle: (request: LegacyRequest, line: Line) => handle(request, deaf(line)) });
      },
    },
  },
  {
    title: 'quiet times are measured by the wall clock alone',
    breaks: 'failure is true',
    firstSeed: 5492,
    mutation: withParts(({ clock }) => ({ clock: { ...clock, elapsed: () => clock.now() } })),
  },
  {
    title: 'a sold order is told as failed to a status query',
    breaks: 'success stays',
    mutation: withServed((served) => {
      if (served.outcome !== 'succeeded' || served.operation !== 'order_status') return served;
      return withWords(served, { status: 'fail', Status: 'failed', error: ['lost'], id: null });
    }),
  },
  {
    title: 'the journal lists no unsettled orders',
    breaks: 'every order is answerable',
    mutation: withJournal(() => ({ listUnsettled: async () => [] })),
  },
  {
    title: 'the journal lists no sales that no script was told of',
    breaks: 'one charge per intent',
    firstSeed: 3081,
    mutation: withJournal(() => ({ listUntold: async () => [] })),
  },
  {
    title: 'no repeat without a request id is recognised',
    breaks: 'one charge per intent',
    firstSeed: 70220,
    mutation: withJournal((journal) => ({
      listUntold: async () => [],
      listUnsettled: async (options) => (options.fromMs === undefined ? journal.listUnsettled(options) : []),
    })),
  },
  {
    title: 'another X-Request-Id means another sale',
    breaks: 'one charge per intent',
    mutation: withHeader('x-request-id', 'idempotency-key'),
  },
  {
    title: 'the clock of v1 is ignored',
    breaks: 'failure is true',
    firstSeed: 4397,
    mutation: withUpstream((upstream) => ({
      find: async (call, context): Promise<Finding> => {
        const finding = await upstream.find(call, context);
        return finding.kind === 'found' ? { kind: 'found', body: finding.body } : finding;
      },
    })),
  },
  {
    title: 'every receipt counts as a success, whatever its status',
    breaks: 'success is true',
    mutation: withFound((body, path) =>
      path === '/receipt' ? { ...body, data: { ...(body['data'] as JsonObject), status: 'success' } } : body,
    ),
  },
  {
    title: 'the card PINs of a receipt are replaced by others',
    breaks: 'success is true',
    mutation: withFound((body) => {
      const data = body['data'] as JsonObject | undefined;
      if (!Array.isArray(data?.['pins']) || data['pins'].length === 0) return body;
      return { ...body, data: { ...data, pins: [{ pin: '0000', serial: 'S' }] } };
    }),
  },
  {
    title: 'a rejected order is told as pending',
    breaks: 'pending is true',
    mutation: withServed((served) => {
      if (served.outcome !== 'rejected') return served;
      return withWords(served, { status: 'pending', Status: 'processing', error: null, success: undefined as never });
    }),
  },
  {
    title: 'a declined order is told as sold',
    breaks: 'success is true',
    mutation: withServed((served) => {
      if (served.outcome !== 'declined') return served;
      return withWords(served, { status: 'success', Status: 'successful', error: null });
    }),
  },
  {
    title: 'an order is still bought after its script was told pending',
    breaks: 'nothing is bought after pending was told',
    mutation: withParts(({ mapping }) => ({ mapping: () => withBuyAfterPending(mapping(), KEYS) })),
  },
];

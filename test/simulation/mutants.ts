/**
 * Gateways that are broken on purpose, each by a mistake that has cost money somewhere. `mutants.test.ts` requires that the
 * simulation notices each of them.
 */
import type { JsonObject } from '../../src/domain/json';
import type { Opened, Order, Trail } from '../../src/domain/order';
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
  /** The first seed to play, where the mistake shows only under a rare setting of the clock. */
  readonly firstSeed?: number;
  readonly mutation: Mutation;
}

const KEYS = Object.values(SCRIPT_KEYS).map(({ apiKey }) => apiKey);

function withUpstream(change: (upstream: Upstream) => Partial<Upstream>): Mutation {
  return { parts: (parts) => ({ ...parts, upstream: { ...parts.upstream, ...change(parts.upstream) } }) };
}

function withJournal(change: (journal: Journal, parts: GatewayParts) => Partial<Journal>): Mutation {
  return { parts: (parts) => ({ ...parts, journal: { ...parts.journal, ...change(parts.journal, parts) } }) };
}

/** Reads every answer to a purchase in its own way, without the parts of the answer that contradict it. */
function hearing(change: (outcome: Outcome) => Outcome): Mutation {
  return withUpstream((upstream) => ({
    send: async (...call): Promise<SentOutcome> => {
      const { body, ...sent } = await upstream.send(...call);
      const outcome = change(sent.outcome);
      return outcome === sent.outcome && body !== undefined ? { ...sent, body } : { ...sent, outcome };
    },
  }));
}

function saying(change: (served: Served) => Served): Mutation {
  return {
    gateway: (gateway) => {
      const handle = gateway.handle.bind(gateway);
      return Object.assign(gateway, {
        handle: async (...asked: Parameters<Gateway['handle']>) => change(await handle(...asked)),
      });
    },
  };
}

function retelling(served: Served, words: JsonObject): Served {
  return { ...served, reply: { ...served.reply, body: { ...(served.reply.body as JsonObject), ...words } } };
}

const NO_TRAIL: Trail = { mapping: '', reason: '', spellings: {} };

export const MUTANTS: readonly Mutant[] = [
  {
    title: 'a lost answer counts as proof that nothing was sent',
    breaks: 'failure is true',
    mutation: hearing((outcome) => (outcome.kind === 'unknown' ? { kind: 'not_sent', reason: 'believed' } : outcome)),
  },
  {
    title: 'a server error counts as a rejection',
    breaks: 'failure is true',
    mutation: hearing((outcome) => (outcome.kind === 'unknown' ? { kind: 'rejected', httpStatus: 400 } : outcome)),
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
    title: 'an order is sent without a journal',
    breaks: 'journalled before it is sent',
    mutation: withJournal(() => ({
      open: async (intent): Promise<Opened> => ({ kind: 'opened', order: { ...intent, number: 1, tries: 1 } }),
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
    title: 'every try has a request id of its own',
    breaks: 'nothing is charged unasked',
    mutation: withUpstream((upstream) => {
      let tries = 0;
      return { send: (call, requestId, context) => upstream.send(call, `${requestId}.${(tries += 1)}`, context) };
    }),
  },
  {
    title: 'a lost order is given up after seconds',
    breaks: 'failure is true',
    mutation: {
      parts: (parts) => ({
        ...parts,
        mapping: () => ({ ...parts.mapping(), timing: { ...parts.mapping().timing, quiet: 4_000 } }),
      }),
    },
  },
  {
    title: 'a lost order may take what another has claimed',
    breaks: 'every order is answerable',
    mutation: withJournal(() => ({ findByReference: async () => undefined })),
  },
  {
    title: 'a lost order may take what another key of its account has sold',
    breaks: 'success is true',
    mutation: withJournal((journal) => ({
      listByReference: async () => [],
      listUnsettled: async (options) => (options.owner === undefined ? [] : journal.listUnsettled(options)),
    })),
  },
  {
    title: 'the words of a script are not compared when their meaning has changed',
    breaks: 'failure is true',
    mutation: withJournal((journal) => ({
      open: (intent) => journal.open({ ...intent, askedHash: `${intent.requestId} ${intent.openedAtMs}`, trail: NO_TRAIL }),
    })),
  },
  {
    title: 'what was told as pending for want of a journal has failed, whatever the journal has',
    breaks: 'failure is true',
    mutation: withJournal((journal) => {
      const doubted = new Map<string, Order>();
      const keyOf = (owner: string, requestId: string): string => `${owner} ${requestId}`;
      return {
        doubt: (intent) =>
          void doubted.set(keyOf(intent.owner, intent.requestId), { ...intent, number: 1, tries: 1, outcome: NOT_SENT }),
        find: async (owner, requestId) => doubted.get(keyOf(owner, requestId)) ?? journal.find(owner, requestId),
      };
    }),
  },
  {
    title: 'what the operator refuses by now is not looked for',
    breaks: 'failure is true',
    mutation: withJournal((journal, { mapping }) => ({
      find: async (...asked) => (['withdrawn', 'paused'].includes(mapping().hash) ? undefined : journal.find(...asked)),
    })),
  },
  {
    title: 'the clock on the wall alone tells how long nothing was heard',
    breaks: 'failure is true',
    firstSeed: 1007,
    mutation: {
      parts: (parts) => ({ ...parts, clock: { ...parts.clock, elapsed: () => parts.clock.now() } }),
    },
  },
  {
    title: 'a success is told as failed to who asks again',
    breaks: 'success stays',
    mutation: saying((served) => {
      if (served.outcome !== 'succeeded' || served.operation !== 'order_status') return served;
      return retelling(served, { status: 'fail', Status: 'failed', error: ['lost'], id: null });
    }),
  },
  {
    title: 'lost orders are forgotten',
    breaks: 'every order is answerable',
    mutation: withJournal(() => ({ listUnsettled: async () => [] })),
  },
  {
    title: 'a sale of which no script has heard is forgotten with its process',
    breaks: 'one charge per intent',
    mutation: withJournal(() => ({ listUntold: async () => [] })),
  },
  {
    title: 'no repeat without an id is known',
    breaks: 'one charge per intent',
    mutation: withJournal((journal) => ({
      listUntold: async () => [],
      listUnsettled: async (options) => (options.fromMs === undefined ? journal.listUnsettled(options) : []),
    })),
  },
  {
    title: "v1's clock is not looked at",
    breaks: 'failure is true',
    firstSeed: 730,
    mutation: withUpstream((upstream) => ({
      find: async (call, context): Promise<Finding> => {
        const finding = await upstream.find(call, context);
        return finding.kind === 'found' ? { kind: 'found', body: finding.body } : finding;
      },
    })),
  },
  {
    title: 'a receipt is believed whatever its status',
    breaks: 'success is true',
    mutation: withUpstream((upstream) => ({
      find: async (call, context): Promise<Finding> => {
        const finding = await upstream.find(call, context);
        if (finding.kind !== 'found' || call.path !== '/receipt') return finding;
        const data = finding.body['data'] as JsonObject;
        return { ...finding, body: { ...finding.body, data: { ...data, status: 'success' } } };
      },
    })),
  },
  {
    title: 'the goods of a repeat are made up',
    breaks: 'success is true',
    mutation: withUpstream((upstream) => ({
      find: async (call, context): Promise<Finding> => {
        const finding = await upstream.find(call, context);
        const data = finding.kind === 'found' ? (finding.body['data'] as JsonObject) : undefined;
        if (finding.kind !== 'found' || !Array.isArray(data?.['pins']) || data['pins'].length === 0) return finding;
        return { ...finding, body: { ...finding.body, data: { ...data, pins: [{ pin: '0000', serial: 'S' }] } } };
      },
    })),
  },
  {
    title: 'a rejected order is told as pending',
    breaks: 'pending is true',
    mutation: saying((served) => {
      if (served.outcome !== 'rejected') return served;
      return retelling(served, { status: 'pending', Status: 'processing', error: null, success: undefined as never });
    }),
  },
  {
    title: 'a declined order is told as sold',
    breaks: 'success is true',
    mutation: saying((served) => {
      if (served.outcome !== 'declined') return served;
      return retelling(served, { status: 'success', Status: 'successful', error: null });
    }),
  },
  {
    title: 'an order is pursued whatever its script has done with it',
    breaks: 'nothing is bought after pending was told',
    mutation: {
      parts: (parts) => ({ ...parts, mapping: () => withBuyAfterPending(parts.mapping(), KEYS) }),
    },
  },
];

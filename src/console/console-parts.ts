/** What the pages of the console may use. No part can sell. */
import type { Rechecking } from '../admin/orders-router';
import type { Order } from '../domain/order';
import type { Rechecked } from '../gateway/recheck';
import type { FindLimits, FoundOrders, OrderQuery } from '../orders/find-orders';
import type { OrderStory } from '../orders/order-story';
import type { ActiveAlarm } from '../domain/alarm';
import type { AmountMinor } from '../domain/amount';
import type { Clock } from '../domain/clock';
import type { Traffic } from '../domain/traffic';
import type { LearntEntry } from '../gateway/order/learnt-patience';
import type { Keyring } from '../gateway/read/keyring';
import type { Journal } from '../journal/journal';
import type { LiveMapping } from '../mapping/live';
import type { Sandbox } from '../sandbox/sandbox';
import type { Samples } from '../telemetry/samples';

export interface ConsoleParts {
  readonly clock: Clock;
  readonly live: LiveMapping;
  /** Resolves when every process uses the mapping set that is in use here. Await it after a reload or an apply. */
  readonly everywhere: () => Promise<void>;
  /** The journal for reading only, opened at the first call. Rejects with a sentence for the operator if there is none. */
  readonly journal: () => Promise<Journal>;
  /** Finds orders, tells their story and asks v1 about them again. */
  readonly orders: OrdersAsked;
  readonly isJournalWritable: () => boolean;
  /** The active alarms. */
  readonly alarms: { readonly active: () => readonly ActiveAlarm[] };
  /** The metrics of all processes, sampled over the last hour and day. */
  readonly samples: Samples;
  /** Undefined if TRAFFIC_SHAPES is off. */
  readonly traffic: { readonly read: () => Promise<Traffic> } | undefined;
  /** The embedded sandbox, if it is the upstream. */
  readonly sandbox: Sandbox | undefined;
  /** The wallet balances of callers, as v1 last reported them. */
  readonly wallets: { lastSeen(fingerprint: string): SeenWallet | undefined };
  /** The patience of scripts, learnt from those that hung up. */
  readonly learnt: () => readonly LearntEntry[];
  /** Makes the fingerprints of typed keys. */
  readonly keyring: Keyring;
  readonly facts: ConsoleFacts;
  readonly onTrouble: (what: string, error: unknown) => void;
}

interface OrdersAsked {
  find(query: OrderQuery, limits?: FindLimits): Promise<FoundOrders>;
  story(order: Order): Promise<OrderStory>;
  /** Throws a sentence for the operator. */
  recheck(asked: Rechecking): Promise<Rechecked>;
}

interface SeenWallet {
  readonly balance: AmountMinor;
  readonly atMs: number;
}

/** The settings that may be shown; no secret is among them. */
interface ConsoleFacts {
  readonly version: string;
  readonly startedAtMs: number;
  readonly publicUrl: string;
  readonly upstreamUrl: string;
  readonly workers: number;
  readonly timeZone: string;
  readonly dataDir: string;
  readonly mappingsDir: string;
  /** Whether ADMIN_TOKEN is set, so that a login is needed. */
  readonly hasLogin: boolean;
}

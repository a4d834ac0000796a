/** What the pages of the console may use. None of it sells. */
import type { Rechecking } from '../admin/orders-router';
import type { Order } from '../domain/order';
import type { Rechecked } from '../gateway/recheck';
import type { FoundOrders, OrderQuery } from '../orders/find-orders';
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
import type { MetricOfJson, Samples } from '../telemetry/samples';

export interface ConsoleParts {
  readonly clock: Clock;
  readonly live: LiveMapping;
  /** Resolves when every process uses the mapping set in use here: await it after a reload or an apply. */
  readonly everywhere: () => Promise<void>;
  /** For reading alone, opened at the first call. Rejects with a sentence for the operator where there is none. */
  readonly journal: () => Promise<Journal>;
  /** Find orders, tell their story, ask v1 again. */
  readonly orders: OrdersAsked;
  readonly isJournalWritable: () => boolean;
  /** What the operator should see to now. */
  readonly alarms: { readonly active: () => readonly ActiveAlarm[] };
  /** The metrics of all processes at this moment. */
  readonly metrics: () => Promise<readonly MetricOfJson[]>;
  /** What they were over the last hour and day. */
  readonly samples: Samples;
  /** Undefined where TRAFFIC_SHAPES is off. */
  readonly traffic: { readonly read: () => Promise<Traffic> } | undefined;
  /** The embedded sandbox, when it is the upstream. */
  readonly sandbox: Sandbox | undefined;
  /** The wallets of callers, as v1 told them last. */
  readonly wallets: { lastSeen(fingerprint: string): SeenWallet | undefined };
  /** What scripts that hung up have shown of their patience. */
  readonly learnt: () => readonly LearntEntry[];
  /** Makes fingerprints of keys that are typed. */
  readonly keyring: Keyring;
  /** A request id as pages and logs may have it. */
  readonly showId: (id: string) => string;
  readonly facts: ConsoleFacts;
  readonly isStopping: () => boolean;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface OrdersAsked {
  find(query: OrderQuery, limits?: { readonly pageSize?: number; readonly budgetMs?: number }): Promise<FoundOrders>;
  named(id: string): Promise<readonly Order[]>;
  story(order: Order): Promise<OrderStory>;
  /** Throws a sentence for the operator. */
  recheck(asked: Rechecking): Promise<Rechecked>;
}

export interface SeenWallet {
  readonly balance: AmountMinor;
  readonly atMs: number;
}

/** What of the settings may be shown: no secret is among it. */
export interface ConsoleFacts {
  readonly version: string;
  readonly startedAtMs: number;
  readonly publicUrl: string;
  readonly upstreamUrl: string;
  readonly workers: number;
  readonly timeZone: string;
  readonly dataDir: string;
  readonly mappingsDir: string;
  /** True where ADMIN_TOKEN is set, and so people log in. */
  readonly hasLogin: boolean;
  /** Every setting as `compat-gateway config` shows it, secrets masked. */
  readonly settings: readonly { readonly name: string; readonly value: string }[];
}

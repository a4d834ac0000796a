/** The operator's tools for orders, used by console, admin calls and commands: find orders, tell an order's story, ask v1 again. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config';
import type { Clock } from '../domain/clock';
import { looksLikeKey, type Secret } from '../domain/credentials';
import type { Order } from '../domain/order';
import type { Rechecking } from '../admin/orders-router';
import type { Rechecked } from '../gateway/recheck';
import type { Keyring } from '../gateway/read/keyring';
import { shortenRequestId } from '../gateway/read/read-raw';
import type { Journal } from '../journal/journal';
import type { Mapping } from '../mapping/mapping';
import type { SetHistory } from '../mapping/set-history';
import { findOrders, NAMED_MAX, type FindLimits, type FoundOrders, type OrderQuery } from '../orders/find-orders';
import { JournalFollower } from '../orders/follow-journal';
import { NO_INDEX, openNumberIndex, type NumberIndex } from '../orders/number-index';
import type { NotesStore } from '../orders/notes-store';
import { storyOf, type OrderStory } from '../orders/order-story';
import type { Refusal } from '../upstream/visitors';

export type OrdersDesk = ReturnType<typeof openOrdersDesk>;

/** Asks v1 through a process that sells. */
export type AskV1 = (key: Secret, requestId: string, address: string) => Promise<Rechecked | undefined>;

interface OrdersDeskParts {
  readonly journal: () => Promise<Journal>;
  readonly notes: () => Promise<NotesStore>;
  readonly mapping: () => Mapping;
  readonly history: Pick<SetHistory, 'mappingOf'>;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly askV1: AskV1;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** True when the index is only read, beside a gateway that writes it. */
  readonly isReadOnly?: boolean;
}

// The journal has only a keyed hash of a script's address, so the operator must name the address. For a key that is not IP-locked any address does.
const OWN_ADDRESS = '127.0.0.1';
const ALL_NAMED = { pageSize: NAMED_MAX };

/** Begins to follow the journal at once, so that orders are indexed by the time they are searched. */
export function openOrdersDesk(config: Pick<Config, 'journalUrl' | 'dataDir'>, parts: OrdersDeskParts) {
  const { journal, keyring, mapping, history, isReadOnly = false } = parts;
  const following = openIndex(config, parts);
  const keeping = isReadOnly ? Promise.resolve(undefined) : startFollower(following, parts);
  const stopFollowing = async (): Promise<void> => (await keeping.catch(() => undefined))?.stop();
  const find = async (query: OrderQuery, limits: FindLimits = {}): Promise<FoundOrders> => {
    const [from, index, notes] = await Promise.all([journal(), following, parts.notes()]);
    return findOrders(query, { journal: from, index, notes, keyring, mapping: mapping(), ...limits });
  };
  const named = async (id: string): Promise<readonly Order[]> => {
    const found = await Promise.all([find({ requestId: id }, ALL_NAMED), find({ reference: id }, ALL_NAMED)]);
    const orders = found.flatMap(({ rows }) => rows.flatMap((row) => (row.kind === 'order' ? [row.order] : [])));
    return [...new Map(orders.map((order) => [`${order.owner} ${order.number}`, order])).values()];
  };
  return {
    find,
    /** Finds orders under every key by request id, by the number in our replies, or by v1's reference. */
    named,
    story: async (order: Order): Promise<OrderStory> =>
      storyOf(order, { notes: await parts.notes(), keyring, mapping: mapping(), setOf: history.mappingOf }),
    /** Asks v1 about an order. Throws an Error with a sentence for the operator when that is impossible. */
    async recheck({ id, key, address = OWN_ADDRESS }: Rechecking): Promise<Rechecked> {
      if (!looksLikeKey(key.revealForUseOnly())) throw new Error('This is not an API key.');
      const owner = keyring.fingerprint(key);
      const orders = (await named(id)).concat((await (await journal()).find(owner, shortenRequestId(id))) ?? []);
      const order = orders.find((one) => one.owner === owner);
      if (order === undefined && orders.length > 0)
        throw new Error(
          `The order ${id} was placed with another key: its fingerprint is ${orders[0]!.owner}, that of the key given is ${owner}.`,
        );
      if (order === undefined) throw new Error(`There is no order ${id} in the journal.`);
      const rechecked = await parts.askV1(key, order.requestId, address);
      if (rechecked === undefined) throw new Error(`The running gateway does not find the order ${id}.`);
      const { before, after, refusal, unanswered } = rechecked;
      if (refusal !== undefined) throw new Error(refusedText(refusal, address));
      // If the outcome has changed, v1's history has proven it: then the order is returned although the last answer was unusable.
      if (unanswered !== undefined && before.outcome?.kind === after.outcome?.kind)
        throw new Error(`v1 gave no usable answer (${unanswered}). Nothing new is known of the order: ask again.`);
      return rechecked;
    },
    /** To be called before the followed journal is closed. */
    stopFollowing,
    async close(): Promise<void> {
      await stopFollowing();
      await (await following.catch(() => undefined))?.close();
    },
  };
}

function refusedText({ httpStatus, message }: Refusal, address: string): string {
  const said = message === undefined ? '' : `: ${message}`;
  return `v1 refuses this key at ${address} (HTTP ${httpStatus}${said}). If the key is locked to addresses, give the address of its script.`;
}

async function openIndex(
  { journalUrl, dataDir }: Pick<Config, 'journalUrl' | 'dataDir'>,
  { keyring, isReadOnly = false, onTrouble }: OrdersDeskParts,
): Promise<NumberIndex> {
  const dir = join(dataDir, 'number-index');
  if (journalUrl.toLowerCase().startsWith('memory:') || (isReadOnly && !existsSync(dir))) return NO_INDEX;
  return openNumberIndex({ dir, keyring, isReadOnly }).catch((error: unknown) => {
    onTrouble('number_index', error);
    return NO_INDEX;
  });
}

async function startFollower(
  index: Promise<NumberIndex>,
  { journal, mapping, keyring, clock, onTrouble }: OrdersDeskParts,
): Promise<JournalFollower | undefined> {
  const kept = await index;
  if (kept === NO_INDEX) return undefined;
  return new JournalFollower({
    ...{ journal, index: kept, mapping, keyring, clock },
    onTrouble: (error) => onTrouble('number_index', error),
  });
}

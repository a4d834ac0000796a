/**
 * Keeps the replies that were made of a price list: making 33 rows costs more than the rest of a request for them. Such a reply depends
 * on the price list, the mapping, the entry of callers.yaml, and what its name has; on no clock, order or other key. It goes when the
 * price list or the set of mappings goes.
 */
import type { LegacyReply } from '../../domain/legacy';
import type { CallerKey, Mapping } from '../../mapping/mapping';
import type { CatalogLists } from '../read/catalog-lists';
import type { ParsedRequest } from '../read/walk-in';

interface Kept {
  readonly mapping: Mapping;
  readonly callerKey: CallerKey | undefined;
  readonly reply: LegacyReply;
}

/** The replies of one price list, and how many characters more they may take. When no more are left, all replies are forgotten. */
interface Replies {
  readonly byName: Map<string, Kept>;
  left: number;
}

/** Together not much more than the rows themselves take in memory. */
const CHARACTERS_PER_ROW = 1_000;
/** What a reply takes beside its texts. */
const CHARACTERS_PER_REPLY = 1_000;

const repliesOf = new WeakMap<CatalogLists, Replies>();

export type ListRequest = Pick<ParsedRequest, 'mapping' | 'callerKey' | 'operation' | 'format' | 'family' | 'intent'>;

/** The kept reply to such a request, or the one that `make` makes. A reply without a text is not kept. */
export function keptList(lists: CatalogLists, request: ListRequest, make: () => LegacyReply): LegacyReply {
  const { mapping, callerKey, operation, format, family, intent } = request;
  const name = JSON.stringify([operation.name, format, family?.id, callerKey?.fingerprint, intent.values]);
  const known = repliesOf.get(lists);
  const kept = known?.byName.get(name);
  // A set that was compiled twice, or with other callers for a test, has the same hash.
  if (kept?.mapping === mapping && kept.callerKey === callerKey) return kept.reply;
  const reply = make();
  if (reply.text === undefined) return reply;
  const characters = CHARACTERS_PER_REPLY + name.length + reply.text.length;
  let replies = known;
  if (replies === undefined || replies.left < characters)
    repliesOf.set(lists, (replies = { byName: new Map(), left: roomOf(lists) }));
  replies.byName.set(name, { mapping, callerKey, reply });
  replies.left -= characters;
  return reply;
}

const roomOf = ({ lists }: CatalogLists): number =>
  Object.values(lists).reduce((rows, list) => rows + list.length, 0) * CHARACTERS_PER_ROW;

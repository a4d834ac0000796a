/**
 * The meaning of each field of v1's calls ("Partner Purchase API v1: Specification", sections 2, 4 and 8) in terms of the mapping:
 * how a script's field must be read to fill it, and which values v1 takes.
 */
import { V1_ENDPOINTS, type V1Endpoint } from '../../upstream/v1';
import { INPUT_TRANSFORMS } from '../input-transforms';
import type { FieldSource, OperationSource, TableSource } from '../language/schema';
import type { MappingSource } from '../source';
import { sameWord } from '../table';

export interface V1Need {
  /** For messages: `a phone number`. */
  readonly what: string;
  /** Transforms (`as:`) whose values fit. */
  readonly as: readonly string[];
  /** Catalog lists whose numbers or names the field takes. A table names its lists in `shown_in` or `catalog`. */
  readonly lists?: readonly string[];
  /** All values that v1 takes, in v1's spelling. */
  readonly values?: readonly string[];
  /** v1's numbers of these values. */
  readonly ids?: Readonly<Record<string, readonly number[]>>;
  /** The recipient or the price: a request without it must be refused, and no default may replace it. */
  readonly isVital?: boolean;
  /** The one value that changes nothing, such as one card. Any other default buys more than was asked for. */
  readonly harmless?: number | boolean;
}

const NETWORKS = ['MTN', 'GLO', 'AIRTEL', '9MOBILE'];

const NEEDS: Readonly<Record<string, V1Need>> = {
  phone: { what: 'a phone number', as: ['phone'] },
  network: { what: 'a network', as: [], values: NETWORKS, isVital: true },
  network_id: {
    what: 'a network',
    as: [],
    ids: Object.fromEntries(NETWORKS.map((name, index) => [name, [index + 1]])),
    values: NETWORKS,
    isVital: true,
  },
  amount: { what: 'an amount', as: ['naira'], isVital: true },
  ported: { what: 'a yes or no', as: ['flag'], harmless: false },
  cable_id: {
    what: 'a cable TV provider',
    as: ['plan_id'],
    lists: ['cable_providers', 'cable_plans.cable_id'],
    ids: { GOTV: [0, 1], DSTV: [0, 2], STARTIMES: [0, 3, 107] },
    isVital: true,
  },
  smartcard: { what: 'a smartcard number', as: ['identifier'], isVital: true },
  disco_id: { what: 'an electricity company', as: ['plan_id'], lists: ['discos'], isVital: true },
  meter_number: { what: 'a meter number', as: ['identifier'], isVital: true },
  meter_type: { what: 'a meter type', as: [], values: ['prepaid', 'postpaid'], isVital: true },
  exam_name: { what: 'an exam', as: [], lists: ['exams', 'exams.name'], isVital: true },
  quantity: { what: 'a quantity', as: ['quantity'], harmless: 1 },
  denomination: { what: 'a card value', as: ['denomination'], isVital: true },
  name_on_card: { what: 'a text', as: ['text'] },
  sender_id: { what: 'a text', as: ['text'] },
  message: { what: 'a text', as: ['text'] },
  recipients: { what: 'a list of phone numbers', as: ['phone_list'], isVital: true },
};

/** Fields whose meaning depends on the endpoint: the kind of plan, and whether the phone number is the recipient or only a contact. */
const NEEDS_OF: Readonly<Record<string, Readonly<Record<string, V1Need>>>> = {
  '/data': { plan_id: planOf('a data plan', 'data_plans'), phone: { ...NEEDS['phone']!, isVital: true } },
  '/airtime': { phone: { ...NEEDS['phone']!, isVital: true } },
  '/data-card': { plan_id: planOf('a data plan', 'data_plans') },
  '/cabletv': { plan_id: planOf('a cable TV package', 'cable_plans') },
};

function planOf(what: string, list: string): V1Need {
  return { what, as: ['plan_id'], lists: [list], isVital: true };
}

/** Fields that v1 takes and ignores (section 4: "the plan decides the network"). */
const IGNORED: Readonly<Record<string, readonly string[]>> = { '/data': ['network'] };

/** Undefined for fields that v1 ignores, for unknown fields, and for endpoints that are neither purchases nor lookups. */
export function needOf({ path, kind }: V1Endpoint, field: string): V1Need | undefined {
  if (kind === 'read' || IGNORED[path]?.includes(field) === true) return undefined;
  return NEEDS_OF[path]?.[field] ?? (Object.hasOwn(NEEDS, field) ? NEEDS[field] : undefined);
}

export function endpointOf({ call }: OperationSource): V1Endpoint | undefined {
  return V1_ENDPOINTS.find(({ method, path }) => `${method} ${path}` === call?.to);
}

type Tables = MappingSource['tables'];

/** The table that reads a field; undefined if `as:` is a transform or unknown. */
export function tableOf({ as }: FieldSource, tables: Tables): TableSource | undefined {
  return !Object.hasOwn(INPUT_TRANSFORMS, as) && Object.hasOwn(tables, as) ? tables[as] : undefined;
}

/** Catalog columns whose values a table has. For the column `id` the list itself is included: `discos.id` and `discos`. */
export function listsOf({ shown_in: shownIn = [], catalog }: TableSource): string[] {
  const places = [...shownIn, ...(catalog === undefined ? [] : [`${catalog.list}.${catalog.id}`])];
  return places.flatMap((place) => (place.endsWith('.id') ? [place, place.split('.')[0]!] : [place]));
}

/** Whether a table has networks: their values have prefixes, and v1 takes them in another field. */
function isOfNetworks({ values = {} }: TableSource): boolean {
  return Object.values(values).some(({ prefixes }) => prefixes !== undefined);
}

/** Whether the values of a field, by the way it is read, can fit a v1 field. */
export function readsAs(field: FieldSource, need: V1Need, tables: Tables): boolean {
  const table = tableOf(field, tables);
  // An unknown `as:` passes, because `compile-field.ts` reports it.
  if (table === undefined) return !Object.hasOwn(INPUT_TRANSFORMS, field.as) || need.as.includes(field.as);
  if (need.values !== undefined) return holdsOneOf(table, need.values);
  if (need.lists === undefined || isOfNetworks(table)) return false;
  const lists = listsOf(table);
  return lists.length === 0 || lists.some((list) => need.lists!.includes(list));
}

/** Whether a table has one of the values. One is enough: another rule reports values that v1 does not take. */
function holdsOneOf({ values = {} }: TableSource, wanted: readonly string[]): boolean {
  return Object.keys(values).some((name) => wanted.some((one) => sameWord(one, name)));
}

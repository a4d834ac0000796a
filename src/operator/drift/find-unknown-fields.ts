/**
 * Fields that scripts send and the mapping does not know, each with what it most likely is and why. An alias is suggested only
 * when kind and name fit one field and nothing speaks against it; a field that reaches v1 only when the requests lacked it
 * although they need it. In doubt a person decides.
 */
import { NOT_KEPT, type FieldKind, type RequestShape, type SeenShape, type Traffic } from '../../domain/traffic';
import type { Field, Mapping, Operation } from '../../mapping/mapping';
import { nearestName } from '../../mapping/nearest-name';
import { wordsOfName } from '../../mapping/rules/read-as';

/** What to do about an unknown field. `decide` is for a person: nothing of it goes into the patch. */
export type Advice =
  | {
      readonly kind: 'alias';
      readonly field: string;
      /** The format whose file takes it; undefined for the shared file. */
      readonly format: string | undefined;
      /** Whether the field reaches v1: then a wrong alias would buy something else. */
      readonly movesMoney: boolean;
      readonly because: string;
    }
  /** `request_id`: the name is a spelling of the script's own id of an order, by which two requests are one sale. */
  | { readonly kind: 'request_id' | 'ignore' | 'decide'; readonly because: string };

export type UnknownField = ReturnType<typeof describe>;

/** A name that came in requests of an operation, with the shapes that have it. */
interface NameInRequests {
  readonly operation: Operation;
  readonly name: string;
  readonly shapes: SeenShape[];
}

export function findUnknownFields(traffic: Traffic, mapping: Mapping): UnknownField[] {
  const sightings = new Map<string, NameInRequests>();
  for (const seen of traffic.shapes) {
    const operation = operationOf(seen, mapping);
    if (operation === undefined) continue;
    for (const name of new Set(seen.shape.fields.map((field) => field.name))) {
      if (operation.known.has(name)) continue;
      const key = `${operation.name} ${name}`;
      const sighting = sightings.get(key) ?? { operation, name, shapes: [] };
      sighting.shapes.push(seen);
      sightings.set(key, sighting);
    }
  }
  const found = [...sightings.values()].map((sighting) => describe(sighting, suggestField(sighting, mapping)));
  return decideRivals(found, traffic, mapping).sort((a, b) => RANK[a.advice.kind] - RANK[b.advice.kind] || b.count - a.count);
}

const RANK = { request_id: 0, alias: 0, decide: 1, ignore: 2 } as const;

/** The operation that the mapping now serves at the shape's address, because a shape may be older than the mapping. */
export function operationOf({ shape, operation }: SeenShape, mapping: Mapping): Operation | undefined {
  const match = mapping.matchRoute(shape.method, shape.path);
  return match.kind === 'matched' ? match.operation : mapping.operations.get(operation);
}

function describe({ operation, name, shapes }: NameInRequests, advice: Advice) {
  return {
    operation: operation.name,
    name,
    count: shapes.reduce((sum, { count }) => sum + count, 0),
    callers: new Set(shapes.map(({ caller }) => caller)).size,
    // Of those requests that got as far as format detection.
    formats: [...new Set(shapes.flatMap(({ format }) => format ?? []))].sort(),
    kinds: kindsOf(name, shapes),
    // The number of requests with this field that were refused because a required field was missing.
    missingField: missingFieldIn(shapes),
    advice: name === NOT_KEPT ? decide('names that may be values are not kept; look at the script') : advice,
  };
}

const missingFieldIn = (shapes: readonly SeenShape[]): number =>
  shapes.reduce((sum, { refusals }) => sum + (refusals['missing_field'] ?? 0), 0);

function kindsOf(name: string, shapes: readonly SeenShape[]): FieldKind[] {
  const kinds = shapes.flatMap(({ shape }) => shape.fields.flatMap((field) => (field.name === name ? [field.kind] : [])));
  return [...new Set(kinds)].filter(isPresent).sort();
}

/** Leaves the decision to a person if two unknown names of one request would become the same field: their values may differ. */
function decideRivals(found: readonly UnknownField[], traffic: Traffic, mapping: Mapping): UnknownField[] {
  return found.map((field) => {
    const becomes = meantBy(field.advice);
    if (becomes === undefined) return field;
    const isBeside = ({ name, operation, advice }: UnknownField): boolean =>
      name !== field.name &&
      operation === field.operation &&
      meantBy(advice) === becomes &&
      traffic.shapes.some(
        (seen) =>
          operationOf(seen, mapping)?.name === operation &&
          [field.name, name].every((both) => seen.shape.fields.some((one) => one.name === both)),
      );
    const rival = found.find(isBeside);
    if (rival === undefined) return field;
    return { ...field, advice: decide(`${field.name} and ${rival.name} both look like ${becomes}, in one request`) };
  });
}

function meantBy(advice: Advice): string | undefined {
  return advice.kind === 'alias' ? advice.field : advice.kind === 'request_id' ? 'the request id' : undefined;
}

const decide = (because: string): Advice => ({ kind: 'decide', because });
const ignore = (because: string): Advice => ({ kind: 'ignore', because });

function suggestField({ operation, name, shapes: all }: NameInRequests, mapping: Mapping): Advice {
  const shapes = all.filter(({ format }) => format !== undefined);
  if (shapes.length === 0)
    return decide('every request with it was refused before its format was known, so its meaning is not known');
  const kinds = kindsOf(name, shapes);
  const asOrderId = operation.kind === 'purchase' ? suggestRequestId(name, shapes, kinds, mapping) : undefined;
  if (asOrderId !== undefined) return asOrderId;
  if (kinds.length === 0) return ignore('it is always empty');
  const readable = operation.fields.filter((field) => fitsKinds(field, kinds));
  const best = Math.max(0, ...readable.map((field) => nameFit(name, field)));
  const named = best === 0 ? [] : readable.filter((field) => nameFit(name, field) === best);
  const [field, another] = named;
  if (field === undefined) return withoutName(shapes, readable);
  if (another !== undefined) {
    const names = named.map((one) => one.name).join(' or ');
    return named.some((one) => one.isSent) ? decide(`it may be ${names}`) : ignore(`it may be ${names}, which v1 never sees`);
  }
  const lacking = shapes.filter(({ shape }) => lacks(shape, field));
  if (lacking.length === 0) return ignore(`it comes beside ${field.name}, which is read already`);
  if (lacking.length < shapes.length) return decide(`it looks like ${field.name}, but some requests have both`);
  return alias(field, { operation, name, shapes }, mapping);
}

/** The kinds of a request id. Values that are all of kind `word` are likely to repeat. */
const ID_KINDS: readonly FieldKind[] = ['integer', 'digits', 'text', 'word'];

/**
 * Advice for a name that looks like a request id; undefined for other names. The advice is never to ignore it: a repeated sale without
 * its id is charged twice. An id that different sales share would sell only the first of them, so doubtful names are left to a person.
 */
function suggestRequestId(
  name: string,
  shapes: readonly SeenShape[],
  kinds: readonly FieldKind[],
  mapping: Mapping,
): Advice | undefined {
  const named = orderIdName(name);
  if (named === undefined) return undefined;
  if (named === 'doubtful') return decide('it may be an id of the order, or one that every sale of a customer shares');
  if (kinds.length === 0) return decide('by its name it is an id of the order, but it is always empty');
  if (kinds.some((kind) => !ID_KINDS.includes(kind)) || kinds.every((kind) => kind === 'word'))
    return decide(`by its name it is an id of the order, but values such as ${kinds.join(' and ')} may be the same for many`);
  const beside = shapes
    .flatMap(({ shape }) => shape.fields)
    .find((field) => mapping.requestIdSpellings.includes(field.name) && isPresent(field.kind));
  if (beside !== undefined)
    return decide(`by its name it is an id of the order, but it comes beside ${beside.name}, and two that differ are refused`);
  return { kind: 'request_id', because: 'by its name it is the id that the script gives the order, and no other came with it' };
}

function alias(field: Field, { operation, name, shapes }: NameInRequests, mapping: Mapping): Advice {
  const elsewhere = meaningElsewhere(name, field, mapping);
  if (elsewhere !== undefined) return decide(`it looks like ${field.name}, but in ${elsewhere} it means something else`);
  const formats = [...new Set(shapes.map(({ format }) => format!))];
  if (formats.length > 1 && readsDiffer(field, mapping, formats))
    return decide(`it looks like ${field.name}, whose numbers formats ${formats.join(' and ').toUpperCase()} read differently`);
  if (field.isSent && !field.isRequired)
    return decide(`it looks like ${field.name}, which reaches v1 and may be absent, so nothing proves it`);
  const missing = missingFieldIn(shapes);
  const refused = missing > 0 ? `; ${missing} refused with missing_field` : '';
  return {
    kind: 'alias',
    field: field.name,
    format: formats.length === 1 && mapping.formats.size > 1 ? formats[0] : undefined,
    movesMoney: field.isSent && (operation.kind === 'purchase' || operation.kind === 'lookup'),
    because: `every request with it lacks ${field.name}${field.isRequired ? `, which is required${refused}` : ''}`,
  };
}

/** Advice for a name that is near to no field: ignore it, unless it may be a required field that refused requests lack. */
function withoutName(shapes: readonly SeenShape[], readable: readonly Field[]): Advice {
  const refused = shapes.filter(({ refusals }) => (refusals['missing_field'] ?? 0) > 0);
  const wanted = readable.filter((field) => field.isRequired && refused.some(({ shape }) => lacks(shape, field)));
  return wanted.length === 0
    ? ignore('no field of this operation has such a name')
    : decide(`requests with it lack ${wanted.map(({ name }) => name).join(' and ')}, and its values could be that`);
}

/** For a field that reaches v1: an operation in which this spelling means another field, if there is one. */
function meaningElsewhere(name: string, field: Field, mapping: Mapping): string | undefined {
  if (!field.isSent) return undefined;
  const isOther = (other: Field): boolean => other.name !== field.name && [...other.from, ...other.otherwise].includes(name);
  return [...mapping.operations.values()].find(({ fields }) => fields.some(isOther))?.name;
}

function readsDiffer({ table }: Field, mapping: Mapping, formats: readonly string[]): boolean {
  if (table === undefined) return false;
  const readings = formats.map((id) => JSON.stringify([...mapping.numberingOf(id, table)].sort(([a], [b]) => a - b)));
  return new Set(readings).size > 1;
}

const NUMBERS: readonly FieldKind[] = ['integer', 'digits'];
const AMOUNTS: readonly FieldKind[] = [...NUMBERS, 'decimal', 'amount'];
const TEXTS: readonly FieldKind[] = [...AMOUNTS, 'phone', 'word', 'text', 'flag'];

/** By transform. A table reads words and numbers. */
const KINDS_OF: Readonly<Record<string, readonly FieldKind[]>> = {
  phone: ['phone', 'integer'],
  phone_list: ['phone', 'text', 'list'],
  naira: AMOUNTS,
  denomination: AMOUNTS,
  quantity: NUMBERS,
  plan_id: NUMBERS,
  identifier: [...NUMBERS, 'phone', 'word'],
  flag: ['flag', 'integer', 'digits'],
  text: TEXTS,
  order_id: TEXTS,
};
const OF_TABLE: readonly FieldKind[] = [...NUMBERS, 'word'];

/** An empty text and a null count as nothing sent. */
const isPresent = (kind: FieldKind): boolean => kind !== 'empty' && kind !== 'null';

/** True when the field reads everything of these kinds. */
function fitsKinds(field: Field, kinds: readonly FieldKind[]): boolean {
  const readable = field.table === undefined ? KINDS_OF[field.as] : OF_TABLE;
  return readable !== undefined && kinds.every((kind) => readable.includes(kind));
}

/** True when no spelling of the field came with anything in it. */
function lacks({ fields }: RequestShape, { from, otherwise }: Field): boolean {
  return !fields.some(({ name, kind }) => isPresent(kind) && (from.includes(name) || otherwise.includes(name)));
}

/** Words shorter than this are similar to too many names. */
const SHORT = 4;
/** Parts of names that do not show what a field is. */
const EMPTY_PARTS: ReadonlySet<string> = new Set(['number', 'name', 'type', 'code', 'value']);

/** 3 for the same name in another spelling, 2 for a misspelt one, 1 for one that shares a part, 0 for none of these. */
function nameFit(name: string, field: Field): number {
  const parts = wordsOfName(name);
  const plain = parts.join('');
  const spellings = [field.name, ...field.from, ...field.otherwise].map((spelling) => {
    const own = wordsOfName(spelling);
    return { own, joined: own.join('') };
  });
  if (spellings.some(({ joined }) => joined === plain)) return 3;
  const longNames = spellings.map(({ joined }) => joined).filter((one) => one.length >= SHORT);
  if (plain.length >= SHORT && nearestName(plain, longNames) !== undefined) return 2;
  if (field.as === 'order_id' && orderIdName(name) === 'certain') return 2;
  const isPart = (part: string): boolean => part.length >= SHORT && !EMPTY_PARTS.has(part) && parts.includes(part);
  const shares = spellings.some(({ own, joined }) => own.some(isPart) || (joined.length > SHORT && plain.includes(joined)));
  return shares ? 1 : 0;
}

/** Words for one sale, and words for somebody who may buy again. */
const OF_A_SALE = [
  ...['request', 'req', 'order', 'ord', 'transaction', 'trans', 'tran', 'trx', 'trnx', 'trxn', 'tranx', 'txn', 'tnx', 'tx'],
  ...['purchase', 'payment', 'sale', 'vend', 'vending'],
];
const OF_SOMEBODY = ['customer', 'user', 'agent', 'reseller', 'account'];
/** Words that mean the id of a sale without a further word. */
const REFERENCES = [
  ...['reference', 'references', 'refrence', 'referance', 'ref', 'invoice', 'uuid', 'guid', 'ident', 'identifier'],
  ...['idempotency', 'idempotent', 'nonce'],
];
const IDS = ['id', 'no', 'num', 'number', 'key', 'code'];
/** Words for the owner of an id, which do not show what the id identifies. */
const OWNER_WORDS = [
  ...['my', 'our', 'own', 'local', 'internal', 'external', 'ext', 'client', 'merchant', 'partner', 'vendor', 'api', 'site'],
  ...['unique', 'new', 'custom'],
];
const WORDS = [...OF_A_SALE, ...OF_SOMEBODY, ...REFERENCES, ...IDS, ...OWNER_WORDS].sort((a, b) => b.length - a.length);

/** `doubtful`: the field may also be a customer or a secret, which is the same in many sales. */
type OrderIdName = 'certain' | 'doubtful';

/** Judges by the words in a field's name, in any spelling, whether the field is a request id. */
export function orderIdName(name: string): OrderIdName | undefined {
  const words: string[] = [];
  for (const part of wordsOfName(name)) {
    // `ref2` is read as `ref`.
    const known = wordsOf(part.replace(/\d+$/, ''));
    if (known === undefined) return undefined;
    words.push(...known);
  }
  const has = (list: readonly string[]): boolean => words.some((word) => list.includes(word));
  const isId = has(REFERENCES) || ((has(OF_A_SALE) || words.includes('unique')) && has(IDS));
  if (!isId) return undefined;
  return words.includes('code') || (has(OF_SOMEBODY) && !has(OF_A_SALE)) ? 'doubtful' : 'certain';
}

/** Splits a text into known words: `txnref` is `txn` and `ref`. Undefined if it has other letters. */
function wordsOf(text: string): string[] | undefined {
  if (text === '') return [];
  for (const word of WORDS) {
    const rest = text.startsWith(word) ? wordsOf(text.slice(word.length)) : undefined;
    if (rest !== undefined) return [word, ...rest];
  }
  return undefined;
}

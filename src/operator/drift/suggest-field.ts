/**
 * What an unknown field most likely is. An alias is suggested only when kind and name fit one field and nothing speaks
 * against it; a field that reaches v1 only when the requests lacked it although they need it. In doubt a person decides.
 */
import type { FieldKind } from '../../domain/traffic';
import type { Field, Mapping, Operation } from '../../mapping/mapping';
import type { Advice } from './drift';
import { fitsKinds, isPresent, lacks, nameFit } from './field-fit';
import { orderIdName } from './order-id-name';
import { kindsOf, type Sighting } from './sighting';

const decide = (because: string): Advice => ({ kind: 'decide', because });
const ignore = (because: string): Advice => ({ kind: 'ignore', because });

export function suggestField(sighting: Sighting, mapping: Mapping): Advice {
  const { operation, name } = sighting;
  const shapes = sighting.shapes.filter(({ format }) => format !== undefined);
  if (shapes.length === 0) return decide('no request with it came as far as its format, so nothing is known of its meaning');
  const kinds = kindsOf({ shapes, name });
  const asOrderId = operation.kind === 'purchase' ? suggestRequestId({ ...sighting, shapes }, kinds, mapping) : undefined;
  if (asOrderId !== undefined) return asOrderId;
  if (kinds.length === 0) return ignore('it is always empty');
  const readable = operation.fields.filter((field) => fitsKinds(field, kinds));
  const best = Math.max(0, ...readable.map((field) => nameFit(name, field)));
  const named = best === 0 ? [] : readable.filter((field) => nameFit(name, field) === best);
  const [field, another] = named;
  if (field === undefined) return withoutName({ ...sighting, shapes }, readable);
  if (another !== undefined) {
    const names = named.map((one) => one.name).join(' or ');
    return named.some((one) => one.isSent) ? decide(`it may be ${names}`) : ignore(`it may be ${names}, which v1 never sees`);
  }
  const lacking = shapes.filter(({ shape }) => lacks(shape, field));
  if (lacking.length === 0) return ignore(`it comes beside ${field.name}, which is read already`);
  if (lacking.length < shapes.length) return decide(`it looks like ${field.name}, but some requests have both`);
  return alias(field, { ...sighting, shapes }, mapping);
}

/** A single sale's id has these kinds; words repeat. */
const ID_KINDS: readonly FieldKind[] = ['integer', 'digits', 'text', 'word'];

/**
 * Never ignored: a sale that comes twice without its id is charged twice, and one whose id is the same every day is sold
 * once. Undefined for what is no id by its name.
 */
function suggestRequestId({ name, shapes }: Sighting, kinds: readonly FieldKind[], mapping: Mapping): Advice | undefined {
  const named = orderIdName(name);
  if (named === undefined) return undefined;
  if (named === 'doubtful') return decide('it may be an id of the order, or one that every sale of a customer shares');
  if (kinds.length === 0) return decide('by its name it is an id of the order, but it is always empty');
  if (kinds.some((kind) => !ID_KINDS.includes(kind)) || kinds.every((kind) => kind === 'word'))
    return decide(`by its name it is an id of the order, but values such as ${kinds.join(' and ')} may be the same for many`);
  const spellings = mapping.requestIdSpellings;
  const beside = shapes
    .flatMap(({ shape }) => shape.fields)
    .find((field) => spellings.includes(field.name) && isPresent(field.kind));
  if (beside !== undefined)
    return decide(`by its name it is an id of the order, but it comes beside ${beside.name}, and two that differ are refused`);
  return { kind: 'request_id', because: 'by its name it is the id that the script gives the order, and no other came with it' };
}

function alias(field: Field, { operation, name, shapes }: Sighting, mapping: Mapping): Advice {
  const elsewhere = meaningElsewhere(name, field, mapping);
  if (elsewhere !== undefined) return decide(`it looks like ${field.name}, but in ${elsewhere} it means something else`);
  const formats = [...new Set(shapes.map(({ format }) => format!))];
  if (formats.length > 1 && readsDiffer(field, mapping, formats))
    return decide(`it looks like ${field.name}, whose numbers formats ${formats.join(' and ').toUpperCase()} read differently`);
  const missing = shapes.reduce((sum, { refusals }) => sum + (refusals['missing_field'] ?? 0), 0);
  if (field.isSent && !field.isRequired)
    return decide(`it looks like ${field.name}, which reaches v1 and may be absent, so nothing proves it`);
  const proof = field.isRequired
    ? `every request with it lacks ${field.name}, which is required${missing > 0 ? `; ${missing} refused with missing_field` : ''}`
    : `every request with it lacks ${field.name}`;
  const own = formats.length === 1 && mapping.formats.size > 1 ? formats[0] : undefined;
  return { kind: 'alias', field: field.name, format: own, movesMoney: field.isSent && isCostly(operation), because: proof };
}

function isCostly({ kind }: Operation): boolean {
  return kind === 'purchase' || kind === 'lookup';
}

/** No name is near: ignored, unless it may be what the refused requests lack. */
function withoutName({ shapes }: Sighting, readable: readonly Field[]): Advice {
  const refused = shapes.filter(({ refusals }) => (refusals['missing_field'] ?? 0) > 0);
  const wanted = readable.filter((field) => field.isRequired && refused.some(({ shape }) => lacks(shape, field)));
  return wanted.length === 0
    ? ignore('no field of this operation has such a name')
    : decide(`requests with it lack ${wanted.map(({ name }) => name).join(' and ')}, and its values could be that`);
}

/** An operation in which the same spelling is another field. */
function meaningElsewhere(name: string, field: Field, mapping: Mapping): string | undefined {
  if (!field.isSent) return undefined;
  for (const operation of mapping.operations.values())
    for (const other of operation.fields)
      if (other.name !== field.name && [...other.from, ...other.otherwise].includes(name)) return operation.name;
  return undefined;
}

function readsDiffer({ table }: Field, mapping: Mapping, formats: readonly string[]): boolean {
  if (table === undefined) return false;
  const readings = formats.map((id) => JSON.stringify([...mapping.numberingOf(id, table)].sort(([a], [b]) => a - b)));
  return new Set(readings).size > 1;
}

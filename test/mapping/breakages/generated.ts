/** Breakages generated from every call, field, reply and status word of a set, whatever their names. */
import { isDeepStrictEqual } from 'node:util';
import { swapsAt, type Edit } from '../../../src/operator/mutant/mutant';
import type { OperationSource, ValueSource } from '../../../src/mapping/language/schema';
import type { MappingSource } from '../../../src/mapping/source';
import { V1_ENDPOINTS, type V1Endpoint } from '../../../src/upstream/v1';
import { sourceOf, type Breakage, type SetName } from './breakage';

type Made = Omit<Breakage, 'set'>;
type Path = readonly (string | number)[];

/** For the operator's own format only its own operations are broken; the others are those of the shipped set. */
export function generatedBreakages(): Breakage[] {
  const own = Object.keys(sourceOf('own').operations).filter((name) => sourceOf('shipped').operations[name] === undefined);
  const of = (set: SetName, made: readonly Made[]): Breakage[] => made.map((one) => ({ set, ...one }));
  return [
    ...of('shipped', ofOperations(sourceOf('shipped'), Object.keys(sourceOf('shipped').operations))),
    ...of('own', ofOperations(sourceOf('own'), own)),
    ...of('shipped', ofBlock('purchase', sourceOf('shipped'))),
    ...of('own', ofBlock('till', sourceOf('own'))),
    ...of('shipped', ofWords(sourceOf('shipped'))),
    ...of('shipped', ofTables(sourceOf('shipped'))),
    ...of('shipped', ofRows(sourceOf('shipped'))),
    ...of('shipped', ofTimes(sourceOf('shipped'))),
  ];
}

const money = (kind: string, words: string, edit: readonly Edit[], caught: Made['caught'] = 'check'): Made => ({
  kind,
  words,
  isMoney: true,
  caught,
  edit,
});

/** The breakages, where they are possible. */
const where = (isPossible: boolean, ...made: readonly Made[]): readonly Made[] => (isPossible ? made : []);

function ofOperations(source: MappingSource, names: readonly string[]): Made[] {
  return names.flatMap((name) => {
    const operation = source.operations[name]!;
    const isMoney = operation.kind === 'purchase';
    const calls = operation.kind === 'purchase' || operation.kind === 'lookup' ? ofCall(name, operation) : [];
    return [
      ...calls.map((one) => ({ ...one, isMoney: isMoney && one.isMoney })),
      ...(isMoney ? [...ofFields(name, operation), ...ofGoods(name, operation), ...ofRoutes(name, source)] : []),
      ...ofJoins(name, operation),
    ];
  });
}

const textOf = (value: ValueSource): string => (typeof value === 'string' ? value : JSON.stringify(value));

const endpointOf = ({ call }: OperationSource): V1Endpoint | undefined =>
  V1_ENDPOINTS.find(({ method, path }) => `${method} ${path}` === call?.to);

const rootOf = (value: ValueSource): string => /^\$(\w+)/.exec(textOf(value))?.[1] ?? '';

/** Fields for contact and for the print on cards. A mistake there costs no money, and `check` may accept it; only a swap with another field may not pass. */
function isContact(field: string, operation: OperationSource): boolean {
  return field === 'name_on_card' || (field === 'phone' && !endpointOf(operation)!.fields[field]!.required);
}

/** For every field of the call: removed, constant, with a fallback, the format's number, another field, swapped with the next. */
function ofCall(name: string, operation: OperationSource): Made[] {
  const path = ['operations', name, 'call', 'send'];
  const send = operation.call!.send!;
  const wanted = endpointOf(operation)!.fields;
  const put = (field: string, value: unknown): Edit => ({ path: [...path, field], value });
  const ofEach = Object.entries(send).flatMap(([field, value]) => {
    const { type } = wanted[field]!;
    const constant =
      field === 'quantity' ? 5 : { string: 'MTN', integer: 1, number: 100, boolean: true, list: ['08031234567'] }[type];
    const at = `${field} of ${name}`;
    const others = Object.keys(operation.fields!).filter((other) => other !== rootOf(value));
    const alone = [
      money('a dropped field of the call', `drops ${at}`, [put(field, undefined)]),
      money('a constant in the call', `sends ${String(constant)} as ${at}`, [put(field, constant)]),
      money('a fall-back in the call', `falls back to ${String(constant)} for ${at}`, [put(field, { first: [value, constant] })]),
      ...where(
        type === 'string' || type === 'integer',
        money("the format's number in the call", `sends the format's number as ${at}`, [
          put(field, `$${rootOf(value)} | number`),
        ]),
      ),
      ...others.map((other) =>
        money('another field in the call', `sends ${other} as ${at}`, [put(field, textOf(value).replace(/^\$\w+/, `$${other}`))]),
      ),
    ];
    return isContact(field, operation) ? [] : alone;
  });
  const swaps = swapsAt({ path, operations: undefined }, (field) => `${field} of ${name}`, send);
  return [...ofEach, ...swaps.map(({ words, edits }) => money('two fields of the call swapped', words, edits))];
}

/** For every field of the call to v1: a default, no longer required, lenient, a bound that lets nothing or less through. */
function ofFields(name: string, operation: OperationSource): Made[] {
  const sent = new Map(Object.entries(operation.call!.send!).map(([field, value]) => [rootOf(value), field]));
  const DEFAULTS: Readonly<Record<string, unknown>> = {
    phone: '08031234567',
    naira: 100,
    denomination: 100,
    flag: true,
    quantity: 5,
  };
  return Object.entries(operation.fields!).flatMap(([field, { as, required, from }]) => {
    const path = ['operations', name, 'fields', field];
    const sentAs = sent.get(field);
    if (sentAs === undefined || isContact(sentAs, operation)) return [];
    const put = (key: string, value: unknown): Edit => ({ path: [...path, key], value });
    const fallback = DEFAULTS[as] ?? { network: 'MTN', meter_type: 'prepaid', exam: 'WAEC', identifier: '1234567890' }[as] ?? 1;
    const at = `${field} of ${name}`;
    const isText = as === 'text' || as === 'phone_list';
    const optional = put('required', undefined);
    return [
      ...where(
        !isText,
        money('a default for a money field', `has ${textOf(fallback as ValueSource)} for ${at}`, [
          put('default', fallback),
          optional,
        ]),
      ),
      ...where(
        required === true,
        money('a field no longer required', `lets ${at} be absent`, [optional]),
        money('a field that is lenient', `overlooks what ${at} cannot read`, [put('lenient', true), optional]),
      ),
      ...where(as === 'naira' || as === 'quantity', money('a min of 0 or less', `takes 0 as ${at}`, [put('min', 0)])),
      ...where(as === 'naira', money('a min of 0 or less', `takes -100 as ${at}`, [put('min', -100)])),
      ...where(
        as === 'phone' && required === true,
        money("a phone read from a customer's contact", `reads ${at} from customer_phone`, [
          put('from', ['customer_phone', ...from]),
        ]),
      ),
    ];
  });
}

const GOODS = /^\$order\.(?:token|pins)(?! \| count)/;

/** For every field of a success that shows the goods: removed, or taken from another place. */
function ofGoods(name: string, { reply, numbering_guard: guard }: OperationSource): Made[] {
  const path = ['operations', name, 'reply', 'success'];
  const fields = Object.entries((reply?.success ?? {}) as Readonly<Record<string, ValueSource>>);
  const goods = fields.filter(([, value]) => GOODS.test(textOf(value)));
  const put = (field: string, value: unknown): Edit => ({ path: [...path, field], value });
  const guarded = (value: unknown): Edit => ({ path: ['operations', name, 'numbering_guard'], value });
  const all = goods.map(([field]) => put(field, undefined)).reverse();
  const needed = goods.some(([, value]) => textOf(value).startsWith('$order.token'))
    ? ['token']
    : goods.some(([field, value]) => field === 'pin' && textOf(value).endsWith('pin_serial'))
      ? ['pin']
      : ['pin', 'serial'];
  return [
    ...where(goods.length > 1, money('goods no longer told', `tells nothing of the goods of ${name}`, all)),
    ...goods.flatMap(([field, value]) => {
      const text = textOf(value);
      const at = `${field} of ${name}`;
      const swapped = text.includes('| pins')
        ? '$order.pins | serials'
        : text.includes('| serials')
          ? '$order.pins | pins'
          : undefined;
      return [
        money('goods no longer told', `tells no ${at}`, [put(field, undefined)], needed.includes(field) ? 'check' : 'plan'),
        money(
          'token and reference swapped',
          `tells the reference as ${at}`,
          [put(field, '$order.reference')],
          // It is not known what scripts read under such a name.
          /(?:token|pins?|serial)$/.test(field) ? 'check' : 'plan',
        ),
        ...(swapped === undefined ? [] : [money('PIN and serial swapped', `tells ${swapped} as ${at}`, [put(field, swapped)])]),
      ];
    }),
    ...where(
      guard !== undefined,
      money('a guard deleted', `drops the guard of ${name}`, [guarded(undefined)]),
      money('a guard deleted', `swaps what the guard of ${name} compares`, [
        guarded({ number: guard?.phone, phone: guard?.number }),
      ]),
    ),
  ];
}

function ofRoutes(name: string, source: MappingSource): Made[] {
  const shared: Path = ['operations', name, 'routes'];
  const own = [...source.formats].flatMap(([id, { operations }]): Path[] =>
    operations?.[name]?.routes === undefined ? [] : [['formats', id, 'operations', name, 'routes']],
  );
  const routesOf = (path: Path): readonly string[] =>
    path[0] === 'operations'
      ? (source.operations[name]!.routes ?? [])
      : source.formats.get(String(path[1]))!.operations![name]!.routes!;
  return [...(source.operations[name]!.routes === undefined ? [] : [shared]), ...own].flatMap((path) => {
    const [first = '', ...rest] = routesOf(path);
    const routes = [`GET|POST ${first.split(' ')[1]!}-now`, first, ...rest];
    return [money('a purchase by GET', `sells ${name} by GET`, [{ path: [...path], value: routes }])];
  });
}

/** A lookup in another list, or by another field. */
function ofJoins(name: string, { join, fields }: OperationSource): Made[] {
  return Object.entries(join ?? {}).flatMap(([key, { list, where }]) => {
    const path = ['operations', name, 'join', key];
    const [column = '', value] = Object.entries(where)[0]!;
    const other = list === 'data_plans' ? 'cable_plans' : 'data_plans';
    const another = Object.keys(fields ?? {}).find((field) => field !== rootOf(value));
    return [
      money('a lookup in the wrong list', `looks ${key} of ${name} up in ${other}`, [{ path: [...path, 'list'], value: other }]),
      money('a lookup in the wrong list', `looks ${key} of ${name} up by ${another!}`, [
        { path: [...path, 'where', column], value: `$${another!}` },
      ]),
    ];
  });
}

/** The fields that every purchase tells. */
function ofBlock(name: string, { blocks }: MappingSource): Made[] {
  const path = ['blocks', name, 'always'];
  const always = blocks[name]!.always!;
  const put = (field: string, value: unknown): Edit => ({ path: [...path, field], value });
  const OPPOSITES: Readonly<Record<string, string>> = {
    '$order.balance_before | naira': '$order.balance_after | naira',
    '$order.balance_after | naira': '$order.balance_before | naira',
    '$order.reference': '$order.token',
    '$order.request_id': '$order.reference',
    '$order.charged | naira': '$order.balance_after | naira',
  };
  const echoes = Object.entries(always).filter(([, value]) => value === '$order.request_id' || value === '$order.echo');
  return [
    ...Object.entries(always).flatMap(([field, value]) => {
      const opposite = OPPOSITES[textOf(value)];
      if (opposite === undefined) return [];
      const kind = textOf(value).includes('balance') ? 'balances swapped' : 'token and reference swapped';
      // Scripts know both ways, and the echo has precedence; a field with a name of the operator's own is the operator's choice.
      const caught = field === 'ref' || field === 'till_no' ? 'plan' : 'check';
      return [money(kind, `tells ${opposite} as ${field} of ${name}`, [put(field, opposite)], caught)];
    }),
    money('the echo no longer told', `drops the echo of ${name}`, [put('*', undefined)]),
    money(
      'the echo no longer told',
      `drops every echo of ${name}`,
      echoes.map(([field]) => put(field, undefined)),
    ),
  ];
}

/** Status words and texts, which PHP compares exactly. */
function ofWords({ words, texts }: MappingSource): Made[] {
  const kinds: Readonly<Record<string, (word: string) => string>> = {
    'a blank after': (word) => `${word} `,
    'a capital in': (word) => `${word[0]!.toUpperCase()}${word.slice(1)}`,
    'a zero-width blank in': (word) => `${word.slice(0, 3)}\u200B${word.slice(3)}`,
    'a look-alike letter in': (word) =>
      word.replace(/[aeo]/, (letter) => ({ a: '\u0430', e: '\u0435', o: '\u043E' })[letter]!).replace('fil', 'f\u0456l'),
  };
  const spelled = Object.entries(words).flatMap(([outcome, of = words.pending]) =>
    (['status', 'Status'] as const).flatMap((key) =>
      Object.entries(kinds).flatMap(([what, change]) => {
        const edit = { path: ['words', outcome, key], value: change(of[key]) };
        return where(
          edit.value !== of[key],
          money('a word with a blank or another case', `${what} ${key} of ${outcome}`, [edit]),
        );
      }),
    ),
  );
  const OTHER: Readonly<Record<string, string>> = {
    succeeded: 'declined',
    pending: 'succeeded',
    unknown: 'declined',
    declined: 'succeeded',
    rejected: 'pending',
    not_sent: 'succeeded',
  };
  const swapped = Object.entries(OTHER).map(([text, other]) =>
    money('a text of another outcome', `says ${other} when ${text}`, [{ path: ['texts', text], value: texts[other] }]),
  );
  return [...spelled, ...swapped];
}

/** The numbers that v1 gets, the names that a table accepts, and their meanings. */
function ofTables({ tables }: MappingSource): Made[] {
  return Object.entries(tables).flatMap(([name, { values = {} }]) => {
    const path = ['tables', name, 'values'];
    const keys = Object.keys(values);
    return keys.flatMap((one, index) => {
      const other = keys[(index + 1) % keys.length]!;
      const [its, others] = [values[one]!, values[other]!];
      const put = (key: string, field: string, value: unknown): Edit => ({ path: [...path, key, field], value });
      const isPair = keys.length > 2 || index === 0;
      const swap = (field: 'id' | 'words' | 'prefixes', caught: Made['caught'] = 'check'): readonly Made[] => {
        const edits = [put(one, field, others[field]), put(other, field, its[field])];
        const isOther = isPair && !isDeepStrictEqual(its[field], others[field]);
        return where(isOther, money(`${field} swapped`, `swaps ${field} of ${one} and ${other}`, edits, caught));
      };
      return [
        ...swap('id', name === 'exam' ? 'plan' : 'check'),
        ...swap('words'),
        ...(index === 0 ? swap('prefixes', 'plan') : []),
        ...where(
          name === 'network' || name === 'meter_type',
          money('a canonical value that v1 does not take', `calls ${one} otherwise`, [
            { path: [...path, one], value: undefined },
            { path: [...path, `${one}_NG`], value: its },
          ]),
        ),
      ];
    });
  });
}

/** Ids and prices in the lists that scripts import. */
function ofRows({ rows }: MappingSource): Made[] {
  return Object.entries(rows).flatMap(([row, fields]) =>
    Object.entries(fields).flatMap(([field, value]) => {
      const put = (other: string): Made[] => [
        money('ids and prices swapped', `shows ${other} as ${field} of ${row}`, [{ path: ['rows', row, field], value: other }]),
      ];
      if (!('id' in fields) || typeof value !== 'string') return [];
      if (/^\$row\.price/.test(value)) return put('$row.id');
      return /^\$row\.id/.test(value) && Object.values(fields).some((one) => textOf(one).startsWith('$row.price'))
        ? put('$row.price | naira')
        : [];
    }),
  );
}

function ofTimes({ callers: { kinds }, timing }: MappingSource): Made[] {
  const cut = (path: Path, value: unknown, words: string, caught: Made['caught'] = 'check'): Made =>
    money('patience or `try` cut', words, [{ path: [...path], value }], caught);
  return [
    ...Object.keys(kinds).flatMap((kind) => [
      cut(['callers', 'kinds', kind, 'patience'], 400, `waits 400 ms for ${kind}`),
      cut(['callers', 'kinds', kind, 'patience'], 1_000, `waits 1 s for ${kind}`),
    ]),
    ...Object.entries(kinds).flatMap(([kind, { user_agents: agents, headers }]) =>
      where(
        agents !== undefined && headers === undefined,
        money("`user_agents: ['*']`", `takes everybody for ${kind}`, [
          { path: ['callers', 'kinds', kind, 'user_agents'], value: ['*'] },
        ]),
      ),
    ),
    cut(['timing', 'try'], timing.try / 60, 'gives a try 1 s'),
    cut(['timing', 'quiet'], 5_000, 'believes after 5 s that an order never was', 'plan'),
    cut(['timing', 'quiet'], 61_000, 'believes after a minute that an order never was', 'plan'),
  ];
}

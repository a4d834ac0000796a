/** The schema of operations, from the fields of a request to the v1 call and the reply. */
import * as z from 'zod';
import { V1_ENDPOINTS } from '../../upstream/v1';
import { nearestName } from '../nearest-name';
import {
  AFTER_PENDING,
  entries,
  FORMAT,
  group,
  GUARD,
  JOINED,
  LISTS,
  money,
  whole,
  setOf,
  V1_CALL,
  WHOSE_KEY,
  type Comparison,
  plain,
  constant,
} from './declare';
import { afterPending, catalogList, duration, humanText, name, positive, routeSchema, nonEmptyWords, word } from './parts';
import { value, replySchema } from './values';

const field = (key: string, compared: Comparison = 'constant') => whole(compared, 'by field', `{1}: field {2}: ${key}`);

const requiredIfSchema = z
  .strictObject({
    path: z
      .string()
      .startsWith('/')
      .optional()
      .describe('The request came to this address, in either slash spelling. Absent: to any address.')
      .meta(field('required at')),
    sent_empty: word.describe('This field was sent empty.').meta(field('required with an empty')),
    why: z.string().describe('The reason that the refusal gives.').meta(plain('{1}: field {2}: why it is required')),
  })
  .describe(
    'Refuse a request without this field if all conditions hold, even if the field has a default. For scripts that are known to lose what they buy.',
  );

const fieldSchema = z
  .strictObject({
    from: nonEmptyWords
      .describe("The script's spellings of this field.")
      .meta(setOf('set', 'by field', '{1}: field {2}: spellings', '{1}: field {2} is [also|no longer] read from `{item}`'))
      .meta({ standIn: ['?'] }),
    otherwise: nonEmptyWords
      .optional()
      .describe('Spellings that are read only when no spelling of `from` was sent.')
      .meta(
        setOf(
          'set',
          'by field',
          '{1}: field {2}: last spellings',
          '{1}: field {2} is [read|no longer read] from `{item}` when nothing else is there',
        ),
      ),
    as: name
      .describe('A transform (text, phone, naira, flag, …) or the name of a table.')
      .meta(field('read as'))
      .meta({ standIn: 'unreadable' }),
    required: z.boolean().optional().describe('Refuse a request without this field.').meta(field('required', 'flag')),
    default: z
      .union([z.string(), z.number(), z.boolean()])
      .optional()
      .describe('The value when the field is absent.')
      .meta(field('default', 'default')),
    lenient: z
      .boolean()
      .optional()
      .describe('An unusable value counts as absent. Not for a field that decides what is bought, or for which number.')
      .meta(field('lenient', 'flag')),
    min: z.number().optional().describe('The smallest number allowed; for amounts in naira.').meta(field('least')),
    max: z.number().optional().describe('The largest number allowed; for amounts in naira.').meta(field('most')),
    length_max: positive.optional().describe('Most characters allowed.').meta(field('most characters')),
    try_values: nonEmptyWords
      .optional()
      .describe(
        'Only in lookups: when the field is absent, v1 is asked with each of these values in turn until it finds something.',
      )
      .meta(field('values to try in turn', 'sequence')),
    required_if: requiredIfSchema.optional(),
  })
  .describe('One canonical field: where it comes from and what it must be.')
  .meta(group({ named: '{1}: field {2}' }));

const callSchema = z
  .strictObject({
    to: z
      .string()
      .regex(/^(?:GET|POST) \/[\w\-/]+$/, 'expected a v1 endpoint such as POST /airtime')
      .describe('The v1 endpoint.')
      .meta(constant(V1_CALL, '{1}: v1 endpoint')),
    send: z
      .record(z.string(), value)
      .optional()
      .describe('The fields that v1 gets. Absent values are not sent; the gateway adds pin and request_id to purchases.')
      .meta(whole('fields', V1_CALL, '{1}: v1 call')),
  })
  .describe('The v1 call of the operation.')
  .meta(group({ named: '{1}: the v1 call' }));

export const OPERATION_KINDS = ['purchase', 'lookup', 'read', 'list', 'status', 'history'] as const;

export const operationSchema = z
  .strictObject({
    title: humanText('A name for people.', '{1}: title'),
    kind: z
      .enum(OPERATION_KINDS)
      .optional()
      .describe(
        '`purchase` moves money; `lookup` and `read` ask v1; `list` answers from the catalog; `status` and `history` look orders up. Default: what the call of v1 says; `list` without a call.',
      )
      .meta(constant(money('decides whether the operation moves money'), '{1}: kind')),
    routes: z
      .array(routeSchema)
      .min(1, 'expected at least one')
      .optional()
      .describe('Addresses of this operation, for every format.')
      .meta(setOf('routes', 'by kind of operation', '{1}: addresses', '{1} is [also|no longer] served at {item}')),
    fields: z.record(name, fieldSchema).optional().describe('Fields that are read from a request, by canonical name.'),
    ignore: nonEmptyWords
      .optional()
      .describe('Fields that are known and have no meaning here. They do not count as unknown.')
      .meta(
        setOf(
          'set',
          'plain',
          '{1}: ignored fields',
          '{1}: `{item}` is [known and ignored|no longer ignored, it counts as unknown]',
        ),
      ),
    without_key: z
      .literal('lookup_key')
      .optional()
      .describe("Serve requests without a key with the operator's lookup key.")
      .meta(constant(WHOSE_KEY, '{1}: requests without a key')),
    key_in: z
      .strictObject({
        key: word.describe('The field of the body that holds the API key.').meta(constant(WHOSE_KEY, '{1}: field of the key')),
        pin: word.describe('The field of the body that holds the PIN.').meta(constant(WHOSE_KEY, '{1}: field of the PIN')),
      })
      .optional()
      .describe(
        'A login by fields: when no header has a key, key and PIN are read from these fields. The reply is that of a Basic login.',
      ),
    undecided: name
      .optional()
      .describe(
        'The format of the reply when the signals of several formats weigh the same. It never decides a number that moves money.',
      )
      .meta(constant(FORMAT, '{1}: format when nothing tells')),
    numbering_guard: z
      .strictObject({
        number: name.describe('The field that holds the network number.').meta(constant(GUARD, '{1}: numbering guard, number')),
        phone: name.describe('The field that holds the phone number.').meta(constant(GUARD, '{1}: numbering guard, phone')),
        ported: name
          .optional()
          .describe('The field that says whether the phone number is ported.')
          .meta(constant(GUARD, '{1}: numbering guard, ported')),
      })
      .optional()
      .describe('Compare the network number with the prefix of the phone number.')
      .meta(group({ named: '{1}: the numbering guard' })),
    join: z
      .record(
        name,
        z
          .strictObject({
            list: catalogList
              .describe('The list of the catalog.')
              .meta(constant(JOINED, '{1}: join {2}: list'))
              .meta({ standIn: 'discos' }),
            where: z
              .record(name, value)
              .describe('One column and the value that it has in the wanted row, such as { id: $plan }.')
              .meta(entries(whole('value', JOINED, '{1}: join {2} by {3}')))
              .meta({ standIn: { id: 1 } }),
          })
          .meta(group({ named: '{1}: join {2}' })),
      )
      .optional()
      .describe('Rows of the catalog that the reply uses, by name.'),
    categories: nonEmptyWords
      .optional()
      .describe("Words in v1's `category` of such an order. The gateway needs them to find lost orders in v1's history.")
      .meta(
        setOf(
          'set',
          money('tells lost orders apart when they are looked for at v1'),
          '{1}: categories',
          '{1}: [v1 may call it `{item}`|`{item}` is no longer a category of it]',
        ),
      ),
    catalog: z
      .literal('wanted')
      .optional()
      .describe('The reply shows lists of the catalog.')
      .meta(constant(LISTS, '{1}: lists of the catalog')),
    call: callSchema.optional(),
    patience: z
      .record(name, duration)
      .optional()
      .describe('How long each kind of caller waits for this operation. Default: `patience` of the kind in `callers`.')
      .meta(entries(plain('{1}: patience of {2}, ms'))),
    after_pending: afterPending.optional().meta(constant(AFTER_PENDING, '{1}: once a script has heard pending')),
    reply: replySchema.optional().meta(group({ named: '{1}: the reply', reply: '{1}: reply' })),
  })
  .transform((operation) => ({ ...operation, kind: operation.kind ?? kindOf(operation.call?.to) }))
  .meta(group({ named: 'operation {1}', keptEmpty: true }));

/** The kind of an operation that does not state it. For a misspelt endpoint it is that of the nearest one; another rule reports it. */
function kindOf(to: string | undefined): (typeof OPERATION_KINDS)[number] {
  if (to === undefined) return 'list';
  const known = V1_ENDPOINTS.map(({ method, path }) => `${method} ${path}`);
  const meant = known.indexOf(nearestName(to, known) ?? '');
  const special = { 'GET /receipt': 'status', 'GET /transactions': 'history' } as const;
  return special[known[meant] as keyof typeof special] ?? V1_ENDPOINTS[meant]?.kind ?? 'read';
}

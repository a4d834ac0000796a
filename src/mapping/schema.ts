/**
 * The mapping language: one schema that gives the types, the checker, the editors' JSON Schema and the reference page.
 * Strict everywhere: a misspelt key is a problem, not silence. Meaning is checked in `check.ts`, values and conditions
 * are compiled in `compile-value.ts`.
 */
import { z } from 'zod';
import {
  afterPending,
  catalogList,
  duration,
  fieldsOfReply,
  lookupKey,
  name,
  numbers,
  someWords,
  value,
  word,
  words,
} from './schema-parts';

export { CATALOG_LISTS, type AfterPending, type ValueSource } from './schema-parts';

const replySchema = z
  .strictObject({
    include: z.array(name).min(1, 'expected at least one').optional().describe('Blocks to start from, in order.'),
    always: fieldsOfReply.optional().describe('Fields of every outcome.'),
    success: z
      .union([fieldsOfReply, value])
      .optional()
      .describe('Fields of a success; or one list for a bare array, which takes no further fields.'),
    pending: fieldsOfReply.optional().describe('Fields while the order is pending or its fate unknown.'),
    failure: fieldsOfReply.optional().describe('Fields of a failure: nothing is charged, or it was refunded.'),
  })
  .meta({
    id: 'reply',
    description: 'What the script is told. Later layers win: included blocks, then always, then the outcome, then the format.',
  });

const requiredIfSchema = z
  .strictObject({
    path: z.string().startsWith('/').describe('The request came to this address, in either slash spelling.'),
    sent_empty: word.describe('This field was sent, and it is empty.'),
    why: z.string().describe('Why, in words that the refusal tells.'),
  })
  .describe('Refuse a request without this field, default or not, where both hold: a script known to lose what it would buy.');

const fieldSchema = z
  .strictObject({
    from: someWords.describe("The script's spellings of this field."),
    otherwise: someWords.optional().describe('Spellings that are read only when none of `from` is there.'),
    as: name.describe('A transform (text, phone, naira, flag, …) or the name of a table.'),
    required: z.boolean().optional().describe('Refuse the request without it.'),
    default: z.union([z.string(), z.number(), z.boolean()]).optional().describe('The value when it is absent.'),
    lenient: z.boolean().optional().describe('An unusable value counts as absent. Only for fields that are merely echoed.'),
    min: z.number().optional().describe('Smallest number; naira for amounts.'),
    max: z.number().optional().describe('Largest number; naira for amounts.'),
    length_max: z.number().int().positive().optional().describe('Most characters.'),
    try_values: someWords
      .optional()
      .describe('Only in lookups: while it is absent v1 is asked with each of these in turn, until it finds something.'),
    required_if: requiredIfSchema.optional(),
  })
  .describe('One canonical field: where it comes from and what it must be.');

const routeSchema = z
  .string()
  .regex(
    /^(?:GET|POST|PUT|DELETE)(?:\|(?:GET|POST|PUT|DELETE))* \/[\w\-./:]*$/,
    'expected a method and a path, such as POST /api/topup or GET|POST /api/user',
  )
  .meta({ rule: 'bad-route' })
  .describe('Method(s) and path. Both slash spellings are always served; `:name` is a field in the path.');

const callSchema = z
  .strictObject({
    to: z
      .string()
      .regex(/^(?:GET|POST) \/[\w\-/]+$/, 'expected a v1 endpoint such as POST /airtime')
      .describe('The v1 endpoint.'),
    send: z
      .record(z.string(), value)
      .optional()
      .describe("v1's fields. Absent values are not sent; pin and request_id are added to purchases."),
  })
  .describe('The v1 call of the operation.');

export const OPERATION_KINDS = ['purchase', 'lookup', 'read', 'list', 'status', 'history'] as const;

const operationSchema = z.strictObject({
  title: z.string().describe('For people.'),
  kind: z
    .enum(OPERATION_KINDS)
    .describe('purchase moves money; lookup and read ask v1; list answers from the catalog; status and history look orders up.'),
  routes: z
    .array(routeSchema)
    .min(1, 'expected at least one')
    .optional()
    .describe('Addresses of this operation, for every format.'),
  fields: z.record(name, fieldSchema).optional().describe('What is read from a request, by canonical name.'),
  ignore: someWords.optional().describe('Fields that are known and mean nothing here.'),
  without_key: z.literal('lookup_key').optional().describe("Serve requests without a key by the operator's lookup key."),
  key_in: z
    .strictObject({
      key: word.describe("The body's field that holds the API key."),
      pin: word.describe("The body's field that holds the PIN."),
    })
    .optional()
    .describe('A login by fields: where no header brings a key, it is read from these. Answered like a Basic login.'),
  undecided: name.optional().describe('The format to answer in when nothing tells. Never for a number that moves money.'),
  numbering_guard: z
    .strictObject({
      number: name.describe('The field that holds the network number.'),
      phone: name.describe('The field that holds the phone number.'),
      ported: name.optional().describe('The field that says whether the phone number is ported.'),
    })
    .optional()
    .describe('Hold the network number against the prefix of the phone number.'),
  join: z
    .record(
      name,
      z.strictObject({
        list: catalogList.describe('The list of the catalog.'),
        where: z.record(name, value).describe('One column and the value that the row has there, such as { id: $plan }.'),
      }),
    )
    .optional()
    .describe('Rows of the catalog by name, for the reply.'),
  categories: someWords
    .optional()
    .describe("Words that v1's category of such an order holds: tells orders apart in its history."),
  catalog: z.literal('wanted').optional().describe('The reply shows lists of the catalog.'),
  call: callSchema.optional(),
  patience: z.record(name, duration).optional().describe('How long each kind of caller waits here; the default is in callers.'),
  after_pending: afterPending.optional(),
  reply: replySchema.optional(),
});

const signalSchema = z
  .strictObject({
    weight: z
      .enum(['strong', 'medium', 'weak'])
      .describe(
        'strong decides unless another format has one too; medium contests a single strong one of another format; weak breaks a tie.',
      ),
    any_field: someWords.optional().describe('One of these fields was sent.'),
    all_fields: someWords.optional().describe('All of these fields were sent.'),
    field: word.optional().describe('With `is`: this field holds one of these words.'),
    is: someWords.optional().describe('With `field`: the words.'),
    path: z.string().startsWith('/').optional().describe('The request came to this address.'),
    spelled: z.literal('exactly').optional().describe('The trailing slash, or its absence, counts as well.'),
    auth: z.enum(['basic', 'token', 'bearer']).optional().describe('The scheme of the Authorization header.'),
  })
  .describe('Something in a request that speaks for this format.');

const formatOperationSchema = z.strictObject({
  routes: z
    .array(routeSchema)
    .min(1, 'expected at least one')
    .optional()
    .describe('Addresses that only this format has. Without `proof` and `login` its scripts are met at them alone.'),
  fields: z
    .record(name, z.strictObject({ from: someWords.describe('Spellings that this format alone uses.') }))
    .optional()
    .describe('Further spellings that this format uses.'),
  after_pending: afterPending.optional(),
  reply: replySchema.optional(),
});

const tableSchema = z.strictObject({
  title: z.string().describe('For people, in refusals: "cable TV provider".'),
  values: z
    .record(
      z.string(),
      z.strictObject({
        id: z.number().int().optional().describe("v1's own number."),
        label: z.string().optional().describe('The name as lists show it.'),
        words: words.describe('Accepted words, compared without case, spaces and punctuation.'),
        prefixes: z
          .array(
            z
              .string('expected a prefix in quotes, such as "0803": without them its zero is lost')
              .regex(/^0\d{3,4}$/, 'expected a prefix such as "0803"')
              .meta({ rule: 'prefix-malformed' }),
          )
          .min(1, 'expected at least one')
          .optional()
          .describe('First digits of phone numbers.'),
      }),
    )
    .optional()
    .describe('The values of the table, by canonical name.'),
  numbers: numbers.optional().describe('What a number means, unless the format says otherwise.'),
  unlisted: z
    .enum(['number', 'upper'])
    .optional()
    .describe('Let an unlisted number, or any word in capitals, through as it is. Default: refuse.'),
  catalog: z
    .strictObject({
      list: catalogList.describe('The list of the catalog.'),
      id: name.describe('Its column with the value that v1 wants.'),
      name: name.describe('Its column with the words.'),
    })
    .optional()
    .describe('Look words up in this list of the catalog.'),
  shown_in: z
    .array(z.string().regex(/^[a-z_]+\.[a-z_]+$/, 'expected a list of the catalog and its column, such as data_plans.id'))
    .min(1, 'expected at least one')
    .optional()
    .describe("Columns of the catalog that hold v1's numbers of this table: a caller with numbers of its own is shown those."),
});

const wordsOfOutcome = z.strictObject({
  http: z.number().int().min(200).max(499).describe('The HTTP status; a rejection keeps v1’s own.'),
  status: z.string().describe('The word under `status`.'),
  Status: z.string().describe('The word under `Status`.'),
});
const timingSchema = z.strictObject({
  reconnect: duration.describe('How long an upstream that refuses connections is tried again.'),
  pursue: duration.describe('How long an open order is pursued after the script has had its answer.'),
  try: duration.describe('One try of a purchase, connect to last byte.'),
  read: duration.describe('One read or lookup.'),
  quiet: duration.describe('How long after its last try an order that v1 does not list counts as never sent.'),
  overdue: duration.describe('The age at which an order without a final outcome is reported loudly.'),
  replay: duration
    .optional()
    .describe(
      'How long after it was told a success is told again to a repeat of it, and how long a request without an id may repeat an order; 10m unless said otherwise.',
    ),
});
const headerNames = z
  .array(z.string().regex(/^[A-Za-z0-9-]+$/, 'expected the name of a header, such as X-Request-Id'))
  .min(1, 'expected at least one');
const callerKindSchema = z.strictObject({
  user_agents: someWords.optional().describe('User-Agents of this kind; "" is none at all, a final * matches any rest.'),
  headers: headerNames.optional().describe('Headers that a request of this kind has, all of them, whatever they hold.'),
  patience: duration.describe('How long it waits for the end of an order.'),
  after_pending: afterPending.optional(),
});
const callerKeySchema = z.strictObject({
  format: name.optional().describe('The format of this script, whatever its requests look like.'),
  guard: z.enum(['on', 'off']).optional().describe('The numbering guard; on unless said otherwise.'),
  patience: z
    .union([duration, z.record(name, duration)], 'expected a duration such as 10s, or durations by operation and `default`')
    .optional()
    .describe('How long this script waits for the end of an order: a duration, or durations by operation, with `default`.'),
  after_pending: z
    .union([afterPending, z.record(name, afterPending)], 'expected look or buy, or one of them by operation and `default`')
    .optional()
    .describe('What is done with an open order of this script once it has heard pending: `look` or `buy`, or by operation.'),
  replay: z
    .union([z.literal('always'), duration], 'expected `always` or a duration such as 30m')
    .optional()
    .describe('How long after it was told a success is told again to a repeat of its request id, for this script.'),
  numbers: z
    .record(name, numbers)
    .optional()
    .describe('Per table, what a number of this script means: its number to ours. They go before the numbers of any format.'),
  unlisted: z
    .record(name, z.enum(['refuse', 'pass']))
    .optional()
    .describe(
      'Per table of `numbers`, what becomes of a number that is not listed there: refuse (unless said otherwise), or pass, as if this script had no numbers of its own.',
    ),
  lists: z
    .record(name, fieldsOfReply)
    .optional()
    .describe(
      'How lists are wrapped for this script: by operation, and `default` for every bare array. `$list` is the list itself.',
    ),
});

/** A shared file: everything that is not one format's own. Every section may stand in any file. */
export const sharedFileSchema = z.strictObject({
  operations: z.record(name, operationSchema).optional().describe('What scripts can ask for, by name.'),
  tables: z
    .record(name, tableSchema)
    .optional()
    .describe('Words, numbers and ids of networks, providers, exams and the like, by name.'),
  other_numberings: z
    .array(
      z.strictObject({
        title: z.string().describe('For people, in refusals: whose numbering it is.'),
        table: name.describe('The table whose values it numbers.'),
        numbers,
        sells_unported: z.boolean().optional().describe('Sell by it what no format explains, when the phone is not ported.'),
      }),
    )
    .optional()
    .describe('Numberings of other servers, known to the numbering guard.'),
  request_id: someWords.optional().describe("Spellings of the script's own id of an order."),
  request_id_headers: headerNames
    .optional()
    .describe('Headers with the id of a request: the first that was sent is the request id where no spelling of it was.'),
  words: z
    .strictObject({
      success: wordsOfOutcome.describe('Charged and delivered.'),
      pending: wordsOfOutcome.describe('Charged, or its fate is not known yet.'),
      failure: wordsOfOutcome.describe('Not charged, or refunded.'),
    })
    .optional()
    .describe('How outcomes are told: `$words` in replies.'),
  texts: z.record(name, z.string()).optional().describe('What is said when v1 gave no message, by outcome.'),
  blocks: z.record(name, replySchema).optional().describe('Reply fields that operations include.'),
  rows: z.record(name, fieldsOfReply).optional().describe('Shapes of list rows.'),
  callers: z
    .strictObject({
      kinds: z.record(name, callerKindSchema).optional().describe('Kinds of callers, told by their User-Agent; tried in order.'),
      keys: z
        .record(
          z
            .string()
            .regex(/^[0-9a-f]{32}$/, 'expected a fingerprint of 32 hex digits')
            .meta({ rule: 'bad-fingerprint' }),
          callerKeySchema,
        )
        .optional()
        .describe('Single scripts, by the fingerprint of their key (`compat-gateway fingerprint`).'),
    })
    .optional()
    .describe('Who is calling, and how long they wait.'),
  timing: timingSchema.optional().describe('The times of an order.'),
  lookup_key: lookupKey.optional(),
});

/** A format's own file: what differs from the shared files. */
export const formatFileSchema = z.strictObject({
  format: name.describe('The id of the format; `/<id>/` before any path pins it.'),
  title: z.string().describe('For people.'),
  numbers: z.record(name, numbers).optional().describe('Per table, what a number means in this format.'),
  login: z.literal('basic').optional().describe('A Basic login is this format: its AccessToken carries the mark.'),
  after_pending: afterPending.optional(),
  proof: z.array(signalSchema).min(1, 'expected at least one').optional().describe('What in a request speaks for this format.'),
  operations: z.record(name, formatOperationSchema).optional().describe('What this format adds to shared operations.'),
  rows: z.record(name, fieldsOfReply).optional().describe('Shapes of list rows.'),
});

export type SharedFile = z.infer<typeof sharedFileSchema>;
export type FormatFile = z.infer<typeof formatFileSchema>;
export type OperationSource = z.infer<typeof operationSchema>;
export type FieldSource = z.infer<typeof fieldSchema>;
export type TableSource = z.infer<typeof tableSchema>;
export type ReplySource = z.infer<typeof replySchema>;
export type SignalSource = z.infer<typeof signalSchema>;
export type CallerKindSource = z.infer<typeof callerKindSchema>;
export type CallerKeySource = z.infer<typeof callerKeySchema>;
export type Timing = z.infer<typeof timingSchema>;
export type OutcomeWords = z.infer<typeof wordsOfOutcome>;

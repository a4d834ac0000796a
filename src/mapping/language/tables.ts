/** Tables: words, numbers and ids of networks, providers and the like. */
import * as z from 'zod';
import { group, LISTS, NETWORK, whole, setOf, plain, constant } from './declare';
import { catalogList, humanText, name, numbers, words } from './parts';

export const tableSchema = z
  .strictObject({
    title: humanText('A name for people, used in refusals, such as "cable TV provider".', 'table {1}: title'),
    values: z
      .record(
        z.string(),
        z
          .strictObject({
            id: z.number().int().optional().describe("v1's number of this value.").meta(constant(NETWORK, '{1} {2}: v1 number')),
            label: z.string().optional().describe('The name that lists show.').meta(plain('{1} {2}: name in lists')),
            words: words
              .default([])
              .describe('Accepted words besides the name itself, compared without case, spaces and punctuation.')
              .meta(setOf('words', NETWORK, '{1} {2}: words', '{1} {2} is [also|no longer] called `{item}`'))
              .meta({ standIn: [] }),
            prefixes: z
              .array(
                z
                  .string('expected a prefix in quotes, such as "0803": without them its zero is lost')
                  .regex(/^0\d{3,4}$/, 'expected a prefix such as "0803"')
                  .meta({ rule: 'prefix-malformed' }),
              )
              .min(1, 'expected at least one')
              .optional()
              .describe('First digits of the phone numbers of this network.')
              .meta(setOf('set', NETWORK, '{1} {2}: prefixes', '{1} {2} [has|no longer has] the prefix {item}')),
          })
          .meta(group({ named: '{1} {2}', keptEmpty: true })),
      )
      .optional()
      .describe('The values of the table, by canonical name.'),
    numbers: numbers
      .optional()
      .describe('What a number means, unless the format gives the number another meaning.')
      .meta(whole('numbers', NETWORK, '{1} number {2}')),
    unlisted: z
      .enum(['number', 'upper'])
      .optional()
      .describe('Pass on what is not listed: any `number`, or any word in capitals (`upper`). Default: refuse.')
      .meta(constant(NETWORK, '{1}: what is not listed')),
    catalog: z
      .strictObject({
        list: catalogList.describe('The list of the catalog.').meta(constant(NETWORK, '{1}: catalog list')),
        id: name
          .describe('The column of the list with the value that v1 wants.')
          .meta(constant(NETWORK, '{1}: catalog column of the number')),
        name: name.describe('The column of the list with the words.').meta(constant(NETWORK, '{1}: catalog column of the name')),
      })
      .optional()
      .describe('Look words up in this list of the catalog.')
      .meta(group({ named: '{1}: the look into the catalog' })),
    shown_in: z
      .array(z.string().regex(/^[a-z_]+\.[a-z_]+$/, 'expected a list of the catalog and its column, such as data_plans.id'))
      .min(1, 'expected at least one')
      .optional()
      .describe(
        "Columns of the catalog that hold v1's numbers of this table. A format or a caller with numbers of its own sees these there.",
      )
      .meta(
        setOf(
          'set',
          LISTS,
          '{1}: columns in a caller’s own numbers',
          '{1}: `{item}` is [shown|no longer shown] in a caller’s own numbers',
        ),
      ),
  })
  .meta(group({ named: 'table {1}', keptEmpty: true }));

/** The tables of docs/families.md, made from the families that the tests run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/domain/json';
import { mapping } from '../gateway/reply-table/samples';
import { families } from './expectation';
import type { Conclusion } from './family';
import { requeries, type Requery } from './requeries';
import { tradeOffs } from './trade-offs';

export const DOCUMENT = join(__dirname, '..', '..', 'docs', 'families.md');

export const WORDS: Readonly<Record<Conclusion, string>> = {
  sale: 'sale',
  pending: 'pending',
  failure: 'failure, refunded',
  unknown: 'left open',
};

/** What stands between the marks of the document, by the name of the mark. */
export async function sections(): Promise<Readonly<Record<string, string>>> {
  const offs = Object.entries(await tradeOffs()).map(([name, { head, lines }]) => [name, table(head, lines)] as const);
  return {
    ...Object.fromEntries(offs),
    requeries: requeryTable(),
    exceptions: exceptionTable(),
    shipped: shippedTable(),
  };
}

export function marks(name: string): readonly [string, string] {
  return [`<!-- ${name}: made by UPDATE_GOLDEN=1 npx jest test/families -->`, `<!-- end of ${name} -->`];
}

/** Undefined when the document has no such marks. */
export function readSection(name: string): string | undefined {
  const [begin, end] = marks(name);
  const text = readFileSync(DOCUMENT, 'utf8');
  const from = text.indexOf(begin);
  const until = text.indexOf(end);
  return from === -1 || until === -1 ? undefined : text.slice(from + begin.length, until).trim();
}

/** What each requery makes of the reply to a question that is not answered, beside what was told of it before. */
function requeryTable(): string {
  const said = (status: number, body: JsonObject) => (requery: Requery) => WORDS[requery.concludes({ status, body })];
  const columns = [
    said(202, { status: 'pending', Status: 'processing' }),
    said(200, { status: 'fail', Status: 'error' }),
    said(404, { status: 'pending', Status: 'processing' }),
    said(503, { status: 'pending', Status: 'processing' }),
  ];
  return table(
    ['requery', '202 pending / processing', '200 fail / error', '404 pending / processing', '503 pending / processing'],
    requeries.map((requery) => [requery.name, ...columns.map((conclude) => conclude(requery))]),
  );
}

function exceptionTable(): string {
  return table(
    ['family', 'concludes', 'why'],
    families
      .filter(({ because }) => because !== undefined)
      .map((family) => [
        family.name,
        Object.entries(family.instead ?? {})
          .map(([outcome, conclusion]) => `${outcome.replaceAll('_', ' ')}: ${WORDS[conclusion]}`)
          .join('; '),
        family.because ?? '',
      ]),
  );
}

/** Every family of the mappings, and what proves it. */
function shippedTable(): string {
  return table(
    ['family', 'format', 'scripts', 'recognised by'],
    [...mapping.families.values()].map(({ id, format, title, signals }) => [
      `\`${id}\``,
      format.toUpperCase(),
      title,
      signals.length > 0 ? 'its requests, or its key' : 'its key alone',
    ]),
  );
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n');
}

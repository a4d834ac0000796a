/** The tables of docs/families.md, made from the families that the tests run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/domain/json';
import { mapping } from '../gateway/reply-table/samples';
import { casesOf, expected, families, hasWordForPending, meaningOf, type Meaning } from './expectation';
import type { Conclusion, Family } from './family';
import { requeries, type Requery } from './requeries';

export const DOCUMENT = join(__dirname, '..', '..', 'docs', 'families.md');

const WORDS: Readonly<Record<Conclusion, string>> = {
  sale: 'sale',
  pending: 'pending',
  failure: 'failure, refunded',
  unknown: 'left open',
};

const COSTS: Readonly<Record<Conclusion, string>> = {
  sale: 'a sale is booked for an order that may yet be declined: the money comes back to the wallet, the customer has nothing',
  failure: 'the customer is refunded for an order that v1 charged: the face value, if it succeeds after all',
  unknown: 'nothing by itself: the order stays as it was until its owner looks',
  pending: 'nothing',
};

/** What stands between the marks of the document, by the name of the mark. */
export function sections(): Readonly<Record<string, string>> {
  return {
    families: familyTable(),
    requeries: requeryTable(),
    'without-pending': pendingTable(),
    exceptions: exceptionTable(),
    'own-words': ownTable(),
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

function familyTable(): string {
  return table(
    ['family', 'format', 'success', 'pending and unknown', 'failure'],
    families.map((family) => [
      family.name,
      family.formats.join(', ').toUpperCase(),
      ...(['success', 'pending', 'failure'] as const).map((meaning) => concludedFrom(family, meaning)),
    ]),
  );
}

/** The usual conclusion from all outcomes of one meaning, and those that are concluded otherwise. */
function concludedFrom(family: Family, meaning: Meaning): string {
  const usual = expected(family, meaning === 'failure' ? 'declined' : meaning);
  const others = [...new Set(casesOf(family).map(({ outcome }) => outcome))]
    .filter((outcome) => meaningOf(outcome) === meaning && expected(family, outcome) !== usual)
    .map((outcome) => `${outcome.replaceAll('_', ' ')}: ${WORDS[expected(family, outcome)]}`);
  return [WORDS[usual], ...others].join('; ');
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

function pendingTable(): string {
  const seconds = (userAgent: string | undefined): string => `${mapping.callerKindOf({ userAgent }).patienceMs / 1000} s`;
  const protection = `held ${seconds(undefined)} first (${seconds('GuzzleHttp/7')} unless it is plain PHP)`;
  return table(
    ['family', 'concludes from pending', 'what it costs', 'what protects it'],
    families
      .filter((family) => !hasWordForPending(family))
      .map((family) => [family.name, WORDS[expected(family, 'pending')], COSTS[expected(family, 'pending')], protection]),
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

/** What a script makes of the reply that everybody hears, and of that of its own family. */
function ownTable(): string {
  const told = (family: Family): string =>
    (['success', 'pending', 'failure'] as const)
      .map((meaning) => WORDS[expected(family, meaning === 'failure' ? 'declined' : meaning)])
      .join(' / ');
  const isProven = (id: string): boolean => (mapping.families.get(id)?.signals.length ?? 0) > 0;
  return table(
    ['family', 'format', 'recognised by', 'everybody’s reply: success / pending / failure', 'in its own words'],
    families.flatMap((family) =>
      family.told === undefined
        ? []
        : [
            [
              `\`${family.told.family}\``,
              mapping.families.get(family.told.family)!.format.toUpperCase(),
              isProven(family.told.family) ? 'its requests, or its key' : 'its key alone',
              told(family),
              told({ ...family, instead: family.told.instead ?? {} }),
            ],
          ],
    ),
  );
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n');
}

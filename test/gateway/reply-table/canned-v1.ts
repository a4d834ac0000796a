/** `test/golden/v1.yaml`: what v1 answers, by endpoint and outcome. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export const GOLDEN_FOLDER = join(__dirname, '..', '..', 'golden');

const answered = z.strictObject({ http: z.number().int(), body: z.record(z.string(), z.json()) });
const broken = z.strictObject({ breaks: z.string(), while_sending: z.boolean() });
const answer = z.union([answered, broken]);

/** An answer over HTTP, or a connection that broke with this code before or after the request began to leave. */
export type CannedAnswer = z.infer<typeof answer>;

const file = z.strictObject({
  catalog: z.record(z.string(), z.json()),
  answers: z.record(z.string(), z.record(z.string(), answer)),
  every_purchase: z.record(z.string(), answer),
  every_question: z.record(z.string(), answer),
});

const canned = file.parse(parse(readFileSync(join(GOLDEN_FOLDER, 'v1.yaml'), 'utf8')));

/** The answer to a purchase, or undefined when the file has none for this outcome. */
export function answerToPurchase(endpoint: string, outcome: string): CannedAnswer | undefined {
  return canned.answers[endpoint]?.[outcome] ?? canned.every_purchase[outcome];
}

/** The answer to a call that moves no money. `$reference` becomes the reference that was asked for. */
export function answerToQuestion(endpoint: string, outcome: string, reference: string): CannedAnswer | undefined {
  const found = canned.answers[endpoint]?.[outcome] ?? canned.every_question[outcome];
  return found === undefined
    ? undefined
    : (JSON.parse(JSON.stringify(found).replaceAll('$reference', reference)) as CannedAnswer);
}

export const cannedCatalog: CannedAnswer = { http: 200, body: { status: 'success', data: canned.catalog } };

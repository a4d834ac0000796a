/** Runs the blocks of a page from top to bottom, and compares what the page shows with what is printed, not to the letter. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkYaml } from './check-yaml';
import type { Desk, Ran } from './open-desk';
import type { Block } from './read-page';

/** Gives the first difference from the page, with its place. */
export async function playPage(blocks: readonly Block[], desk: Desk): Promise<string | undefined> {
  for (const [index, block] of blocks.entries()) {
    const wrong = await playBlock(block, blocks[index - 1], desk);
    if (wrong !== undefined) return `${block.place}: ${wrong}`;
  }
  return undefined;
}

async function playBlock(block: Block, before: Block | undefined, desk: Desk): Promise<string | undefined> {
  const { language, marks, text } = block;
  if (marks.has('no-run')) return undefined;
  const path = marks.get('file') ?? marks.get('append');
  if (path !== undefined) {
    mkdirSync(dirname(join(desk.folder, path)), { recursive: true });
    (marks.has('file') ? writeFileSync : appendFileSync)(join(desk.folder, path), `${text}\n`);
    return undefined;
  }
  if (language === 'yaml') return checkYaml(block, before);
  if (language !== 'sh') return undefined;
  if (marks.has('serve')) {
    await desk.serve(text);
    return undefined;
  }
  if (/\bcurl\b/.test(text) && !desk.isServing()) await desk.serve('compat-gateway serve');
  return compareRun(block, await desk.run(text));
}

function compareRun({ marks, output }: Block, { exitCode, printed }: Ran): string | undefined {
  const expected = Number(marks.get('exit') ?? 0);
  if (exitCode !== expected) return `ends with ${exitCode} instead of ${expected} and prints:\n${printed}`;
  if (output === undefined) return undefined;
  const wrong =
    output.language === 'json' ? compareJson(JSON.parse(output.text), JSON.parse(printed)) : compareText(output.text, printed);
  return wrong === undefined ? undefined : `${wrong} in what is printed:\n${printed}`;
}

/** Fields that differ from run to run: only their type is compared. */
const VARYING = /date|bal|wallet$|created_at|^(?:id|ident|transid|reference|transaction_ref|token|meter_token|pin|serial)$/;
const OWN_REQUEST_ID = /^CG[0-9A-Z]{26}$/;

/**
 * Every shown line must be in the output, in this order, with any lines between; `…` inside a line stands for any text, and
 * blanks count once. Gives what is missing.
 */
export function compareText(shown: string, printed: string): string | undefined {
  const lines = printed.split('\n').map(plain);
  let at = 0;
  for (const line of shown.split('\n').map(plain)) {
    if (line === '' || line === '…') continue;
    const pattern = new RegExp(`^${line.split('…').map(escape).join('.*')}$`);
    const found = lines.findIndex((one, index) => index >= at && pattern.test(one));
    if (found < 0) return `no line like ${JSON.stringify(line)}`;
    at = found + 1;
  }
  return undefined;
}

const plain = (line: string): string => line.trim().replace(/ {2,}/g, ' ');

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Every shown field must be in the reply with its value; the reply may have others. */
export function compareJson(shown: unknown, told: unknown, name = ''): string | undefined {
  if (isObject(shown) && isObject(told)) {
    for (const [key, value] of Object.entries(shown)) {
      if (!Object.hasOwn(told, key)) return `no field ${key}`;
      const wrong = compareJson(value, told[key], key);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }
  if (Array.isArray(shown) && Array.isArray(told)) {
    for (const [index, value] of shown.entries()) {
      const wrong = compareJson(value, told[index], name);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }
  const isVarying = VARYING.test(name) || (OWN_REQUEST_ID.test(String(shown)) && OWN_REQUEST_ID.test(String(told)));
  const isLike = isVarying ? typeof shown === typeof told : shown === told;
  return isLike ? undefined : `${name} is ${JSON.stringify(told)}, shown is ${JSON.stringify(shown)}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Plays the blocks of a page from top to bottom at a desk. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkYaml } from './check-yaml';
import { compareJson, compareText } from './compare-output';
import type { Desk, Ran } from './open-desk';
import type { Block } from './read-page';

/** Gives the first thing that is not as the page shows it, with its place. */
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

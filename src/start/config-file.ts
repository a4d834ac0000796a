/** `compat-gateway.yaml`: the settings under the names that they have in the environment, one per line. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml';
import { nearestName } from '../mapping/nearest-name';

export const CONFIG_FILE_NAME = 'compat-gateway.yaml';
const QUOTE_IT = 'Put the value in quotes.';

interface ConfigFile {
  /** Values as written; a list is joined with commas. */
  readonly texts: ReadonlyMap<string, string>;
  /** `file:line:column: sentence`. */
  readonly problems: readonly string[];
}

/** Reads the file `named`, or the usual one if it exists. `names` are the settings that it may have. */
export function readConfigFile(named: string | undefined, cwd: string, names: readonly string[]): ConfigFile {
  const name = named ?? CONFIG_FILE_NAME;
  const path = resolve(cwd, name);
  if (!existsSync(path)) return nothing(named === undefined ? [] : [`CONFIG_FILE names \`${name}\`, which does not exist.`]);
  try {
    return parseConfigFile(readFileSync(path, 'utf8'), name, names);
  } catch (error) {
    return nothing([
      `CONFIG_FILE names \`${name}\`, which cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'no reason given'}.`,
    ]);
  }
}

function parseConfigFile(text: string, file: string, names: readonly string[]): ConfigFile {
  const lines = new LineCounter();
  // The failsafe schema keeps every value as written: a secret of digits stays text, and `no` stays `no`.
  const document = parseDocument(text, { schema: 'failsafe', lineCounter: lines });
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  // Neither the library's message nor an unknown name is shown as it is: a part of a secret may stand there.
  if (document.errors.length > 0)
    return nothing(
      document.errors.map(({ pos, code }) => `${placeOf(pos[0])}: this is not readable YAML (${code}). ${QUOTE_IT}`),
    );
  if (document.contents === null) return nothing([]);
  if (!isMap<Node, Node | null>(document.contents)) return nothing([`${file}:1:1: expected lines such as \`PORT: 8080\`.`]);
  const texts = new Map<string, string>();
  const problems: string[] = [];
  for (const { key, value } of document.contents.items) {
    const name = textOf(key) ?? '';
    const place = placeOf(key.range?.[0] ?? 0);
    const items = isSeq<Node>(value) ? value.items : [value];
    const values = items.map(textOf);
    if (!names.includes(name)) {
      const shown = /^[A-Z_]+$/.test(name) ? `\`${name}\`` : 'this name';
      problems.push(`${place}: ${shown} is not a setting${hintFor(name, names)}`);
    } else if ([value, ...items].some(isMarked))
      problems.push(`${place}: the value of ${name} begins with a mark of YAML. ${QUOTE_IT}`);
    else if (values.includes(undefined)) problems.push(`${place}: ${name} must be one value or a list of values.`);
    else texts.set(name, values.join(','));
  }
  return { texts, problems };
}

function textOf(node: Node | null): string | undefined {
  if (node === null) return '';
  return isScalar<string | null>(node) ? (node.value ?? '') : undefined;
}

function hintFor(name: string, names: readonly string[]): string {
  const near = nearestName(name, names);
  return near === undefined ? '.' : `; did you mean \`${near}\`?`;
}

/** True for `&text` and `!text`, which YAML takes for marks of an empty value. */
function isMarked(node: Node | null): boolean {
  return node !== null && !isAlias(node) && (node.anchor ?? node.tag) !== undefined;
}

function nothing(problems: readonly string[]): ConfigFile {
  return { texts: new Map(), problems };
}

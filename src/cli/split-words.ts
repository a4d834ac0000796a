/** A command line as people paste it → its words: of a POSIX shell, or of the Windows prompt with its carets. */
import { parse } from 'shell-quote';

export function splitWords(commandLine: string): string[] {
  return /\^\s*\r?\n|\^"/.test(commandLine) ? splitWindowsWords(commandLine) : splitShellWords(commandLine);
}

function splitShellWords(commandLine: string): string[] {
  const plain = commandLine.replace(/\\\r?\n/g, ' ').replace(/\$'((?:[^'\\]|\\.)*)'/gs, (_all, text: string) => ansiWord(text));
  // A variable stays as it is written, and so does a pattern: nothing of this machine gets into the request.
  const words = parse(plain, (name) => `$${name}`);
  return words.map((word) => (typeof word === 'string' ? word : 'pattern' in word ? word.pattern : 'op' in word ? word.op : ''));
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** `$'…'`, as browsers write it in "copy as cURL", in single quotes. */
function ansiWord(text: string): string {
  const read = text.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/gs, (_all, u?: string, x?: string, letter?: string) =>
    u !== undefined || x !== undefined
      ? String.fromCharCode(parseInt(u ?? x ?? '', 16))
      : (ESCAPES[letter ?? ''] ?? letter ?? ''),
  );
  return `'${read.replaceAll("'", `'"'"'`)}'`;
}

/**
 * The prompt takes a caret away first, then the program splits at spaces outside double quotes; `\"` and `""` inside are
 * a quote. https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
 */
function splitWindowsWords(commandLine: string): string[] {
  const text = commandLine.replace(/\^\s*\r?\n/g, ' ').replace(/\^(.)/gs, '$1');
  const words: string[] = [];
  for (const [word] of text.matchAll(/(?:[^\s"\\]|\\+"?|"(?:[^"\\]|\\.|"")*"?)+/gs)) {
    words.push(
      word
        .replace(/\\"/g, '\0')
        .replace(/(?<=")((?:[^"]|"")*)(?=")/g, (inside) => inside.replaceAll('""', '\0'))
        .replaceAll('"', '')
        .replaceAll('\0', '"'),
    );
  }
  return words;
}

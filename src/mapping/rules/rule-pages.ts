/**
 * Reads the texts of the rules from the pages in docs/rules, so that each text exists once: for readers of the page, for `check`,
 * which prints the cure, and for code hosts. Only code that prints problems needs them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../../domain/project-folder';

export const RULE_PAGES = join(PROJECT_FOLDER, 'docs', 'rules');

/** One rule of a page: its heading and the texts below it. */
export interface RuleSection {
  readonly page: string;
  readonly rule: string;
  readonly title: string;
  readonly severity: string;
  /** What happens to an order or to a person if the rule is broken. */
  readonly why: string;
  readonly mend: string;
  /** What `check --fix` does; empty if it does nothing. Nothing that could move money is ever fixed. */
  readonly fix: string;
  /** The example with its code fence, after the texts. */
  readonly example: string;
}

/** `Title (error). Why. Cure: …`, with line breaks at any blank. */
const SECTION =
  /^(?<rule>\S+)\n\n(?<title>[^]*?) \((?<severity>error|warning)\)\. (?<why>[^]*?)\nCure: (?<mend>[^]*?)(?: (?<fix>`compat-gateway check --fix` [^`]*))?\n\n(?<example>[^]*)$/;

/** Every rule of the pages, in their order. */
export function readRulePages(): RuleSection[] {
  const pages = readdirSync(RULE_PAGES).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return pages.flatMap((page) => {
    const [, ...sections] = readFileSync(join(RULE_PAGES, page), 'utf8').split(/^## /m);
    return sections.map((text): RuleSection => {
      const { example, ...words } = SECTION.exec(text)?.groups as Omit<RuleSection, 'page'>;
      const inOneLine = Object.entries<string | undefined>(words).map(([name, said]) => [
        name,
        (said ?? '').replaceAll('\n', ' '),
      ]);
      return { page, example, ...(Object.fromEntries(inOneLine) as Omit<RuleSection, 'page' | 'example'>) };
    });
  });
}

let read: ReadonlyMap<string, RuleSection> | undefined;

/** Undefined for codes of other files, such as the sandbox's, and if the program was installed without the pages. */
export function wordsOf(code: string): RuleSection | undefined {
  read ??= new Map((existsSync(RULE_PAGES) ? readRulePages() : []).map((section) => [section.rule, section]));
  return read.get(code);
}

/** Formats problems as SARIF 2.1.0, which code hosts show beside the lines of the files. */
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Problem } from './problem';
import { wordsOf } from './rules/rule-pages';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

export function formatSarif(problems: readonly Problem[]): string {
  const ids = [...new Set(problems.map(({ code }) => code))].sort();
  const rules = ids.map((id) => {
    const rule = wordsOf(id);
    if (rule === undefined) return { id };
    return {
      id,
      shortDescription: { text: rule.title },
      fullDescription: { text: rule.why },
      help: { text: `${rule.why} ${rule.mend}`, markdown: `${rule.why}\n\n${rule.mend}` },
      defaultConfiguration: { level: rule.severity },
    };
  });
  const results = problems.map(({ code, severity, message, hint, file, line, column }) => ({
    ruleId: code,
    ruleIndex: ids.indexOf(code),
    level: severity,
    message: { text: hint === undefined ? message : `${message} (${hint})` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: locationOf(file),
          region: { startLine: line, startColumn: column },
        },
      },
    ],
  }));
  const driver = { name: 'compat-gateway', rules };
  const run = { tool: { driver }, columnKind: 'utf16CodeUnits', results };
  return JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2);
}

function locationOf(file: string): { uri: string; uriBaseId?: string } {
  if (isAbsolute(file)) return { uri: pathToFileURL(file).href };
  return { uri: file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' };
}

/** Every rule of `compat-gateway check`. A problem of a mapping has one of these ids, and each id is a heading of a page in docs/rules. */
import type { Rule } from './rule';
import { CALL_RULES } from './table/call-rules';
import { CALLER_RULES } from './table/caller-rules';
import { FIELD_RULES } from './table/field-rules';
import { FILE_RULES } from './table/file-rules';
import { FORMAT_RULES } from './table/format-rules';
import { REPLY_RULES } from './table/reply-rules';
import { ROUTE_RULES } from './table/route-rules';
import { SENT_RULES } from './table/sent-rules';
import { SLIP_RULES } from './table/slip-rules';
import { TABLE_RULES } from './table/table-rules';
import { TOLD_RULES } from './table/told-rules';
import { VALUE_RULES } from './table/value-rules';

/** By the page of docs/rules that explains them, in the order of its headings. */
export const RULES_BY_PAGE = {
  files: { ...FILE_RULES, ...SLIP_RULES },
  addresses: ROUTE_RULES,
  fields: FIELD_RULES,
  calls: { ...CALL_RULES, ...SENT_RULES },
  values: VALUE_RULES,
  replies: { ...REPLY_RULES, ...TOLD_RULES },
  formats: FORMAT_RULES,
  tables: TABLE_RULES,
  callers: CALLER_RULES,
} as const;

export const RULES = {
  ...RULES_BY_PAGE.files,
  ...RULES_BY_PAGE.addresses,
  ...RULES_BY_PAGE.fields,
  ...RULES_BY_PAGE.calls,
  ...RULES_BY_PAGE.values,
  ...RULES_BY_PAGE.replies,
  ...RULES_BY_PAGE.formats,
  ...RULES_BY_PAGE.tables,
  ...RULES_BY_PAGE.callers,
} as const;

export type RuleId = keyof typeof RULES;

/** The rule of a problem's code; undefined for codes of other files, such as the sandbox's. */
export function ruleOf(code: string): Rule | undefined {
  return Object.hasOwn(RULES, code) ? RULES[code as RuleId] : undefined;
}

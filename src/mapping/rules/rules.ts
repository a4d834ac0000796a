/** Every rule of `compat-gateway check`. A problem of a mapping has one of these ids, and each id has a page in docs/rules. */
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

/** By family, as the documents list them. */
export const RULE_FAMILIES = {
  Files: FILE_RULES,
  Addresses: ROUTE_RULES,
  Fields: FIELD_RULES,
  'Operations and calls': CALL_RULES,
  'What v1 is sent': SENT_RULES,
  Values: VALUE_RULES,
  Replies: REPLY_RULES,
  'What is told': TOLD_RULES,
  Formats: FORMAT_RULES,
  Tables: TABLE_RULES,
  'Callers and time': CALLER_RULES,
  'Slips of the pen': SLIP_RULES,
} as const;

export const RULES = {
  ...FILE_RULES,
  ...ROUTE_RULES,
  ...FIELD_RULES,
  ...CALL_RULES,
  ...VALUE_RULES,
  ...REPLY_RULES,
  ...FORMAT_RULES,
  ...TABLE_RULES,
  ...CALLER_RULES,
  ...SENT_RULES,
  ...TOLD_RULES,
  ...SLIP_RULES,
} as const;

export type RuleId = keyof typeof RULES;

/** The rule of a problem's code; undefined for codes of other files, such as the sandbox's. */
export function ruleOf(code: string): Rule | undefined {
  return Object.hasOwn(RULES, code) ? RULES[code as RuleId] : undefined;
}

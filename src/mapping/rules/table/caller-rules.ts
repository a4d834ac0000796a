/** Rules about callers and about time. */
import { error, warning, type RuleTable } from '../rule';

export const CALLER_RULES = {
  'no-default-kind': error(
    'No kind of caller is everybody else',
    'A caller that fits no kind would not be waited for at all.',
    'Leave `user_agents` and `headers` out of one kind.',
  ),
  'second-default-kind': error(
    'Two kinds of callers are everybody else',
    'Only the first could ever apply.',
    'Give one of them `user_agents` or `headers`, or delete it.',
  ),
  'unknown-caller-kind': error(
    'There is no kind of caller of this name',
    'The patience would apply to nobody.',
    'Take the name of a kind below `callers.kinds`.',
  ),
  'kind-unreachable': error(
    'A User-Agent is already claimed by an earlier kind',
    'Kinds are tried in order, so it has no effect and its callers wait as long as the others.',
    'Put the narrower kind first, or delete the User-Agent.',
  ),
  'patience-too-long': warning(
    'A caller is kept waiting longer than it waits',
    'Most libraries give up after thirty seconds, web servers in front of PHP after sixty: a sale that succeeds is refunded.',
    'Stay under 30s for everybody else and under 60s for plain PHP.',
  ),
  'patience-beyond-pursuit': warning(
    'A caller waits longer than an order is pursued',
    'After the answer an order must be pursued at least as long as before it, or its end is never heard.',
    'Raise `timing.pursue`, or lower the patience.',
  ),
  'patience-without-order': warning(
    'A patience of something that is never waited for',
    'Only purchases are held until they have ended: it has no effect.',
    'Take the name of a purchase, or delete it.',
  ),
  'after-pending-without-order': warning(
    'What is done after pending, for something that is never pending',
    'Only purchases are sent to v1 again or looked for: it has no effect.',
    'Take the name of a purchase, or delete it.',
  ),
  'own-numbers-empty': warning(
    'A caller has a list of own numbers with nothing in it',
    'A number that is not listed is refused, so this caller can send none at all.',
    'List its numbers, delete the table, or say `unlisted: pass` for it.',
  ),
  'own-number-twin': warning(
    'Two of a caller’s own numbers mean the same value',
    'A list made for this caller shows only the lower one, and one of the two is most likely another value’s: the wrong network or provider would be sold.',
    'Look the numbers up in the caller’s script. It may stay where the script really has two for one.',
  ),
  'unlisted-without-numbers': error(
    'What becomes of unlisted numbers is said of a table without a list',
    'Without numbers of its own a caller is read by its format’s: nothing would be refused that was meant to be.',
    'Add the table below `numbers`, or delete it.',
  ),
  'shape-without-list': error(
    'A list is wrapped without the list',
    'The script would get words around nothing and take it for an empty price list.',
    'Put `$list` where the script looks for the rows.',
  ),
  'shape-of-no-list': error(
    'What is wrapped is no list',
    'Only lists are wrapped: it has no effect.',
    'Take the name of an operation of kind list, or `default` for all of them.',
  ),
  'duration-zero': error(
    'A duration is zero',
    'Nothing can be asked or found out in no time at all: every order would be in doubt.',
    'Give it the time it needs. Only `reconnect` may be 0s.',
  ),
  'duration-huge': warning(
    'A duration is longer than anybody waits',
    'It is most likely a slip in the unit: `40m` for `40s`.',
    'Check the unit.',
  ),
  'quiet-too-short': warning(
    '`timing.quiet` is shorter than one try, or than two minutes',
    'An order would count as never sent, and be refunded, while v1 may still be working on it.',
    'Make `quiet` longer than `try`, and at least two minutes: only then does v1 ask its provider again.',
  ),
} as const satisfies RuleTable;

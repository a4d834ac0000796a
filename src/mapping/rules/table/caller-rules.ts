/** Rules about callers and about time. */
import { error, warning, type RuleTable } from '../rule';

export const CALLER_RULES = {
  'no-default-kind': error(
    'No kind of caller is everybody else',
    'A caller that fits no kind would not be waited for at all.',
    'Leave `user_agents` out of one kind.',
  ),
  'second-default-kind': error(
    'Two kinds of callers are everybody else',
    'Only the first could ever apply.',
    'Give one of them `user_agents`, or delete it.',
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
    'Clients that are no plain PHP give up after five seconds, web servers in front of PHP after sixty: a sale that succeeds is refunded.',
    'Stay under 5s for everybody else and under 60s for plain PHP.',
  ),
  'patience-beyond-pursuit': warning(
    'A caller waits longer than an order is pursued',
    'After the answer an order must be pursued at least as long as before it, or its end is never heard.',
    'Raise `timing.pursue`, or lower the patience.',
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
    '`timing.quiet` is shorter than one try',
    'An order would count as never sent, and be refunded, while v1 may still be working on it.',
    'Make `quiet` longer than `try`.',
  ),
} as const satisfies RuleTable;

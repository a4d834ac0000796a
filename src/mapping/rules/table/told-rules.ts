/** Rules about names, goods and words in what a script is told. */
import { error, type RuleTable } from '../rule';

export const TOLD_RULES = {
  'goods-not-told': error(
    'A success does not tell what was bought',
    'The customer has paid for a token or a card and never sees it; the script cannot ask for it again either.',
    'Tell `token` of electricity, and `pin` and `serial` of cards. Other names may stand beside them.',
  ),
  'echo-not-told': error(
    'A purchase does not echo the request id',
    'Scripts match the reply with their order by the id that they sent, some exactly: without it a sale is refunded.',
    "Include the block `purchase`, or add `'*': $order.echo` to what is always told.",
  ),
  'name-says-otherwise': error(
    'A name holds something else than it says',
    'Scripts read by name: a serial for a PIN cannot be loaded, a balance from before is stored as the one after, an id is charged as a price.',
    'Tell under each name what scripts read from it.',
  ),
  'list-under-another-name': error(
    'The rows of one network or provider are told under the name of another',
    'Scripts import their plans from there, and sell one network’s plan to another’s customers.',
    'Let the name and the condition say the same.',
  ),
  'word-not-exact': error(
    'A status word of a reply has a blank or a strange character',
    'PHP compares exactly: a word that only looks right is read as a failure, and what was delivered is refunded.',
    'Write it without anything around it.',
  ),
} as const satisfies RuleTable;

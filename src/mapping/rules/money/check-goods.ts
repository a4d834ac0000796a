/** What a purchase's reply owes the script: what was bought, and the script's own id of the order. */
import type { ValueSource } from '../../language/schema';
import type { Checking } from '../checking';
import { outcomeReplies, type OutcomeReply } from '../reply-layers';
import { endpointOf } from './check-sent';

/** The endpoints whose result has a token, or cards (specification, section 2.7). */
const TOKEN_OF = ['/electricity'];
const CARDS_OF = ['/exam_pin', '/recharge-card', '/data-card'];

export function checkGoods({ source, report }: Checking): void {
  const mute = new Set<string>();
  for (const reply of outcomeReplies(source)) {
    const operation = source.operations[reply.operation]!;
    const endpoint = endpointOf(operation);
    if (operation.kind !== 'purchase' || endpoint === undefined || reply.fields.size === 0) continue;
    // What a misspelt block would have said is not known.
    if ((operation.reply?.include ?? []).some((block) => !Object.hasOwn(source.blocks, block))) continue;
    if (reply.outcome === 'success')
      for (const [name, what] of missingGoods(reply, endpoint.path))
        report(reply.path, 'goods-not-told', `a success of \`${reply.operation}\` tells no \`${name}\`: ${what}`, { at: 'key' });
    if (!tellsOrder(reply) || reply.fields.get('*')?.value === '$order.echo') continue;
    // Once for all outcomes.
    const place = reply.path.map(String).join('.');
    if (!mute.has(place))
      report(reply.path, 'echo-not-told', `\`${reply.operation}\` does not echo the request id as it was sent`, {
        at: 'key',
        hint: "add `'*': $order.echo` to what is always told",
      });
    mute.add(place);
  }
}

function missingGoods({ fields }: OutcomeReply, path: string): (readonly [string, string])[] {
  const tells = (name: string, source: RegExp): boolean => source.test(textOf(fields.get(name)?.value));
  if (TOKEN_OF.includes(path)) return tells('token', /\$order\.token/) ? [] : [['token', 'the customer has paid for it']];
  if (!CARDS_OF.includes(path)) return [];
  const hasPin = tells('pin', /\$order\.pins \| pin/);
  const hasSerial = tells('serial', /\$order\.pins \| serials/) || tells('pin', /\| pin_serial/);
  return [
    ...(hasPin ? [] : [['pin', 'the card is worth nothing without it'] as const]),
    ...(hasSerial ? [] : [['serial', 'some cards cannot be used without it'] as const]),
  ];
}

const textOf = (value: ValueSource | undefined): string => JSON.stringify(value ?? null);

/** A row with a reference, a price, a balance or cards describes one order of several. */
function tellsOrder({ fields }: OutcomeReply): boolean {
  return [...fields.values()].some(({ value }) => /\$order\.(?:reference|request_id|charged|balance|pins)/.test(textOf(value)));
}

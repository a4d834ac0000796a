/** Some customers of one shop, who buy the same PINs within seconds and without ids: nothing, or no more than a header, tells one from another. */
import type { Chance } from '../../chance';
import { Script, type Surroundings } from './play-sale';
import { drawCards } from './content';
import { drawImpatience, drawNames, SCRIPT_KEYS, type Sale } from './sale';

/** Their scripts, which share one case; none in half of the histories. */
export function gatherCrowd(around: Surroundings, chance: Chance, lengthMs: number): readonly Script[] {
  if (!chance.is(0.5)) return [];
  const [firstMs, key] = [chance.below(lengthMs), SCRIPT_KEYS.live];
  const one: Omit<Sale, 'name' | 'startMs' | 'patienceMs' | 'sendsAgainAfterMs'> = {
    key,
    keyStyle: 'token',
    isRespelt: false,
    format: chance.pick(['a', 'b', 'c']),
    isPinned: true,
    isCallKept: true,
    isDiscoNamed: false,
    // More than any other sale has, so that the content is theirs alone.
    content: drawCards(chance.pick(['exam', 'recharge', 'datacard']), 3, chance),
    takesPending: 'unknown',
    requestId: undefined,
    spelling: 'ref',
    userAgent: undefined,
    isNamedByProxy: chance.fork('proxy').is(0.3),
    twinsAfterMs: [],
    moves: [],
    isStubborn: false,
    soldBefore: undefined,
  };
  const names = chance.fork('names');
  const isNamed = names.is(0.4);
  // Where the mappings change, an Idempotency-Key keeps no other customer from an order (decision 0024).
  const headers = around.stage.faults.reloads.length === 0 ? undefined : (['x-request-id'] as const);
  const subject = around.stage.book.withoutId(around.ownerOf(key.apiKey), key.walletId, '', 'crowd');
  subject.customers = chance.between(3, 5);
  return Array.from({ length: subject.customers }, (_, index) => {
    const [name, startMs] = [`customer ${index}`, firstMs + chance.skewed(0, 15_000)];
    // One shop, so all of them alike.
    const sale = {
      ...one,
      ...drawImpatience(chance),
      ...(isNamed && drawNames(name, names.fork('shop'), headers)),
      name,
      startMs,
    };
    return new Script(sale, around, chance, subject);
  });
}

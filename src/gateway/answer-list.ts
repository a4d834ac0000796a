/** Lists: answered from the catalog of the key that asks. */
import type { JsonObject } from '../domain/json';
import { numberingShown } from '../mapping/shown-numbers';
import type { Answer } from './answer-purchase';
import { readContextOf, type ParsedRequest } from './read/parsed-request';
import { catalogListsOf } from './read/catalog-lists';
import type { WalkParts } from './walk-parts';
import { tellFinding } from './answer-lookup';
import { refusedLately } from './read/judge-visit';
import { mergeReply } from './tell/merge-reply';
import { tellWait } from './tell/tell-wait';

export async function answerList(parsed: ParsedRequest, parts: WalkParts): Promise<Answer> {
  const { mapping, operation, format, intent, callerKey } = parsed;
  const context = readContextOf(parsed);
  const catalog = await parts.priceLists.show(context);
  if (catalog === undefined) {
    // The cache does not say why. One small question tells a refused key or address from a v1 that is away.
    const why = refusedLately(parsed, parts) ?? (await parts.upstream.find({ method: 'GET', path: '/balance' }, context));
    const told = tellFinding(why.kind === 'found' ? { kind: 'unavailable', reason: 'no catalog' } : why, parsed);
    return {
      outcome: why.kind === 'refused' ? 'refused' : 'unavailable',
      reply: mergeReply({ ...tellWait(told, '/balance'), mapping, operation, format, values: intent.values }),
    };
  }
  const reply = mergeReply({
    outcome: 'success',
    text: mapping.texts['found'] ?? 'Successful.',
    mapping,
    operation,
    format,
    values: intent.values,
    callerKey,
    catalog: catalogListsOf(catalog, mapping),
    roots: { networks: networkRows(parsed) },
  });
  return { outcome: 'found', reply };
}

/** `$networks`: the numbers of the script or its format, for scripts that fill their tables from here. */
function networkRows({ mapping, format, callerKey }: ParsedRequest): JsonObject[] {
  const table = mapping.tables.get('network');
  if (table === undefined) return [];
  return [...numberingShown(mapping, format, callerKey, table)].map(([number, name]) => ({
    number,
    name,
    label: table.labelOf(name),
    prefixes: table.prefixesOf(name),
  }));
}

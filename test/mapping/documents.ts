/** Every generated document about the mapping language, by its path from the root of the repository. */
import { caseJsonSchema } from '../../src/operator/case/case-json-schema';
import { mappingJsonSchema } from '../../src/mapping/json-schema';
import { mappingReference } from '../../src/mapping/reference';

export function documents(): ReadonlyMap<string, string> {
  return new Map([
    ['schema/mapping.json', `${JSON.stringify(mappingJsonSchema(), null, 2)}\n`],
    ['schema/case.json', `${JSON.stringify(caseJsonSchema(), null, 2)}\n`],
    ['docs/mapping-reference.md', mappingReference()],
  ]);
}

/** Every way to write an address of an operation. */
import { mapping, operationOf, sampleOf, type FieldValue } from './samples';

export interface Address {
  readonly method: string;
  /** As the script writes it, without the query. */
  readonly target: string;
  /** The path of the route as the mapping has it. */
  readonly route: string;
  readonly isPinned: boolean;
  /** Spelt as in the mapping; pinned only where the sample does not prove its format. */
  readonly isPlain: boolean;
  /** Fields that stand in the path in one route and among the fields in another. */
  readonly fields: Readonly<Record<string, FieldValue>>;
}

/** The address to which the script of the sample really sends it. */
export function ownAddressOf(operation: string, format: string): Address {
  const [method = '', target = ''] = sampleOf(operation, format).at.split(' ');
  const pin = new RegExp(`^/${format}(?=/)`);
  return addressAt(operation, format, method, target.replace(pin, ''), pin.test(target) ? `/${format}` : '');
}

/**
 * Every route and method with every spelling of its slashes, pinned to the format and, where the sample proves its format, also
 * not pinned. A format with routes of its own is not played at the shared routes.
 */
export function addressesOf(operation: string, format: string): readonly Address[] {
  const routes = mapping.routes.filter((route) => route.operation === operation && [undefined, format].includes(route.format));
  const hasOwn = routes.some((route) => route.format === format);
  return routes
    .map((route) => ({ ...route, isTelling: !ownAddressOf(operation, format).isPinned && (!hasOwn || route.format === format) }))
    .flatMap(({ methods, path, isTelling }) =>
      methods.flatMap((method) =>
        [`/${format}`, ...(isTelling ? [''] : [])].flatMap((pin) =>
          spellingsOf(path).map((spelling) => ({
            ...addressAt(operation, format, method, spelling, pin),
            isPlain: spelling === path && (pin === '') === isTelling,
          })),
        ),
      ),
    );
}

/** Some scripts join a base that ends in a slash with a path that begins with one. */
function spellingsOf(path: string): string[] {
  return [path, `${path}/`, `/${path}`, path.replaceAll('/', '//')];
}

function addressAt(operation: string, format: string, method: string, spelling: string, pin: string): Address {
  const { parameters, fields: sent } = sampleOf(operation, format);
  const fields: Record<string, FieldValue> = {};
  let target = spelling;
  for (const [name, value] of Object.entries(parameters)) {
    const [alias] = operationOf(operation).fields.find((field) => field.name === name)?.from ?? [name];
    if (target.includes(`:${name}`)) target = target.replace(`:${name}`, value);
    else fields[alias ?? name] = value;
  }
  // A request id in the path is the same id that the sample sends as a field.
  const requestId = mapping.requestIdSpellings.map((name) => sent[name]).find((value) => value !== undefined);
  target = target.replace(':request_id', String(requestId));
  const route = spelling.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  return { method, target: `${pin}${target}`, route, isPinned: pin !== '', isPlain: true, fields };
}

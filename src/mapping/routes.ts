/** Addresses → operations. Both slash spellings are the same address; a literal segment wins over a `:name`. */
import type { Operation, RouteMatch } from './mapping';

export interface Route {
  readonly methods: readonly string[];
  /** As written: `/api/transaction/:id`. */
  readonly path: string;
  readonly operation: string;
  /** Set when only one format has this address. */
  readonly format: string | undefined;
}

export function parseRoute(text: string): { methods: string[]; path: string } {
  const [methods = '', path = ''] = text.split(' ');
  return { methods: methods.split('|'), path: trimSlash(path) };
}

export function trimSlash(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' ? '/' : trimmed;
}

interface Node {
  readonly literals: Map<string, Node>;
  /** Whatever its name: each route has names of its own (`GET /api/data/:id`, `POST /api/data/:request_id`). */
  parameter: Node | undefined;
  readonly routes: Route[];
}

const createNode = (): Node => ({ literals: new Map(), parameter: undefined, routes: [] });

/** A matcher over all routes; format ids as first segment pin that format. */
export function createRouter(
  routes: readonly Route[],
  operations: ReadonlyMap<string, Operation>,
  formats: ReadonlySet<string>,
): (method: string, path: string) => RouteMatch {
  const root = createNode();
  const exact = new Map<string, Node>();
  for (const route of routes) {
    const node = insert(root, segmentsOf(route.path));
    node.routes.push(route);
    if (!route.path.includes(':')) exact.set(route.path, node);
  }

  const matchPlain = (method: string, path: string): RouteMatch => {
    const values: string[] = [];
    // Most requests come to a literal address: one map look-up.
    const node = exact.get(path) ?? walk(root, segmentsOf(path), 0, values);
    if (node === undefined) return { kind: 'unknown_path' };
    const fitting = node.routes.filter((route) => route.methods.includes(method));
    const [route] = fitting;
    if (route === undefined) return { kind: 'wrong_method', allowed: [...new Set(node.routes.flatMap((one) => one.methods))] };
    const isShared = fitting.some((one) => one.format === undefined);
    return {
      kind: 'matched',
      operation: operations.get(route.operation)!,
      parameters: Object.fromEntries(parameterNames(route.path).map((name, index) => [name, values[index]!])),
      pinnedFormat: isShared || fitting.length > 1 ? undefined : route.format,
    };
  };

  return (method, path) => {
    const trimmed = trimSlash(path);
    const [, first = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(trimmed) ?? [];
    if (!formats.has(first)) return matchPlain(method, trimmed);
    const match = matchPlain(method, rest);
    return match.kind === 'matched' ? { ...match, pinnedFormat: first } : match;
  };
}

/** The names of a route's parameters, in the order in which they stand in the path. */
export function parameterNames(path: string): string[] {
  return path.includes(':') ? segmentsOf(path).flatMap((segment) => (segment.startsWith(':') ? [segment.slice(1)] : [])) : [];
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function insert(root: Node, segments: readonly string[]): Node {
  let node = root;
  for (const segment of segments) {
    if (segment.startsWith(':')) node = node.parameter ??= createNode();
    else {
      const next = node.literals.get(segment) ?? createNode();
      node.literals.set(segment, next);
      node = next;
    }
  }
  return node;
}

/** Depth-first with literals before parameters; undefined when no route ends here. */
function walk(node: Node, segments: readonly string[], depth: number, values: string[]): Node | undefined {
  const segment = segments[depth];
  if (segment === undefined) return node.routes.length > 0 ? node : undefined;
  const literal = node.literals.get(segment);
  const found = literal === undefined ? undefined : walk(literal, segments, depth + 1, values);
  if (found !== undefined || node.parameter === undefined) return found;
  const below = walk(node.parameter, segments, depth + 1, values);
  if (below !== undefined) values.unshift(segment);
  return below;
}

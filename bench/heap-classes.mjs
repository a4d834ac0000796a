// What a heap holds, by class, from a snapshot that V8 wrote: `v8.writeHeapSnapshot`.
import { readFileSync } from 'node:fs';

/** By class, or by kind where there is no class: the count and the bytes of the objects themselves. */
export function readClasses(file) {
  const { snapshot, nodes, strings } = JSON.parse(readFileSync(file, 'utf8'));
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, name, size] = ['type', 'name', 'self_size'].map((field) => fields.indexOf(field));
  const classes = new Map();
  for (let at = 0; at < nodes.length; at += fields.length) {
    const kind = types[type][nodes[at + type]];
    const key = kind === 'object' ? strings[nodes[at + name]] : `(${kind})`;
    const known = classes.get(key) ?? { count: 0, bytes: 0 };
    classes.set(key, { count: known.count + 1, bytes: known.bytes + nodes[at + size] });
  }
  return classes;
}

/** The classes that have grown most, the largest growth first. */
export function growthOf(before, after, most) {
  const grown = [...after].map(([name, { count, bytes }]) => {
    const was = before.get(name) ?? { count: 0, bytes: 0 };
    return { name, count, more: count - was.count, kilobytes: Math.round((bytes - was.bytes) / 1024) };
  });
  return grown.sort((one, other) => other.kilobytes - one.kilobytes).slice(0, most);
}

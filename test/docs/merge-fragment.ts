/** A fragment of a mapping, as a page shows it, merged into a set: what it names changes, all else stays. */
import { parse, stringify } from 'yaml';
import type { MappingFileText } from '../../src/mapping/load';

type Fields = Record<string, unknown>;

/** Sections of which one name may stand in one file only. */
const BY_NAME = ['operations', 'tables', 'blocks', 'rows', 'texts'];

export function mergeFragment(files: readonly MappingFileText[], fragment: string): readonly MappingFileText[] {
  const added = parse(fragment) as Fields;
  const parsed = files.map(({ file, text }) => ({ file, fields: parse(text) as Fields }));
  if (typeof added.format === 'string') {
    const own = parsed.find(({ fields }) => fields.format === added.format);
    if (own === undefined) return [...files, { file: `format-${added.format}.yaml`, text: fragment }];
    merge(own.fields, added);
  } else {
    const rest: Fields = {};
    const shared = parsed.filter(({ fields }) => fields.format === undefined);
    for (const [section, value] of Object.entries(added)) {
      const owners = shared.filter(({ fields }) => section in fields);
      if (!BY_NAME.includes(section) && owners[0] !== undefined) merge(owners[0].fields, { [section]: value });
      else if (BY_NAME.includes(section))
        for (const [name, item] of Object.entries(value as Fields)) {
          const owner = owners.find(({ fields }) => name in (fields[section] as Fields));
          if (owner === undefined) merge(rest, { [section]: { [name]: item } });
          else merge(owner.fields, { [section]: { [name]: item } });
        }
      else rest[section] = value;
    }
    if (Object.keys(rest).length > 0) parsed.push({ file: 'fragment.yaml', fields: rest });
  }
  return parsed.map(({ file, fields }) => ({ file, text: stringify(fields, { aliasDuplicateObjects: false }) }));
}

/** Lists and plain values are replaced, fields are merged. */
function merge(into: Fields, added: Fields): void {
  for (const [key, value] of Object.entries(added)) {
    const old = into[key];
    if (isFields(old) && isFields(value)) merge(old, value);
    else into[key] = value;
  }
}

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

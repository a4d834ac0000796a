/** Additions → edited files and a unified diff. Whatever the check complains about stays out: the patched set is clean. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { checkFiles } from '../../mapping/check';
import { mergeFiles, type MappingFileText } from '../../mapping/load';
import type { MappingSource } from '../../mapping/source';
import { appendToList } from './append-to-list';
import type { Addition } from './drift';

export interface Patch {
  /** What went in. */
  readonly made: readonly Addition[];
  /** What no edit could be made for, or what the check would complain about. */
  readonly left: readonly Addition[];
  /** Empty when nothing went in. */
  readonly diff: string;
}

/** `root` is the name of the mappings folder: the diff is taken from the folder above it, by `patch -p0`. */
export function makePatch(files: readonly MappingFileText[], additions: readonly Addition[], root: string): Patch {
  const before = complaintsAbout(files);
  const isSound = (edited: readonly MappingFileText[]): boolean => [...complaintsAbout(edited)].every((one) => before.has(one));
  // An addition moves no value to another file, so the set is read once for all places.
  const { source } = mergeFiles(files);
  if (source === undefined) return { made: [], left: additions, diff: '' };
  const all = applyAll(files, additions, source, () => true);
  const result = isSound(all.files) ? all : applyAll(files, additions, source, isSound);
  const diff = result.files.flatMap((file, index) => {
    const { text } = files[index]!;
    const name = `${root}/${(file.name ?? file.file).replaceAll('\\', '/')}`;
    return file.text === text
      ? []
      : [
          createTwoFilesPatch(name, name, text, file.text, undefined, undefined, {
            context: 3,
            headerOptions: FILE_HEADERS_ONLY,
          }),
        ];
  });
  return { made: result.made, left: additions.filter((addition) => !result.made.includes(addition)), diff: diff.join('') };
}

interface Applied {
  readonly files: readonly MappingFileText[];
  readonly made: readonly Addition[];
}

/** One after the other, leaving out what cannot be edited or what `isSound` does not like. */
function applyAll(
  files: readonly MappingFileText[],
  additions: readonly Addition[],
  source: MappingSource,
  isSound: (files: readonly MappingFileText[]) => boolean,
): Applied {
  return additions.reduce<Applied>(
    (so, addition) => {
      const edited = apply(so.files, addition, source);
      return edited === undefined || !isSound(edited) ? so : { files: edited, made: [...so.made, addition] };
    },
    { files, made: [] },
  );
}

function apply(
  files: readonly MappingFileText[],
  { path, value }: Addition,
  { places }: MappingSource,
): readonly MappingFileText[] | undefined {
  const { file } = places.find(path);
  const index = files.findIndex((one) => one.file === file);
  const target = files[index];
  const text = target === undefined ? undefined : appendToList(target.text, places.inFile(path), value);
  return target === undefined || text === undefined ? undefined : files.with(index, { ...target, text });
}

/** Compared without their places, which each added line moves. */
function complaintsAbout(files: readonly MappingFileText[]): ReadonlySet<string> {
  return new Set(checkFiles(files).problems.map(({ file, code, message }) => `${file} ${code} ${message}`));
}

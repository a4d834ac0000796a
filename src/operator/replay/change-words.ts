/** How a change that the replay found is told, on the command line and in the console. */
import type { ReplayChange } from './group-changes';

/** Of which part of the walk it is; empty for an order that is taken or refused, whose values say so. */
export function partWords({ part, fields, outcomes }: Pick<ReplayChange, 'part' | 'fields' | 'outcomes'>): string {
  if (part === 'fate') return '';
  if (part === 'call') return fields.includes('endpoint') ? 'v1 call' : `v1 call, ${fields.join(', ')}`;
  if (part !== 'reply') return part;
  return `reply to ${outcomes.join(', ')}, ${fields.includes('') ? 'the list' : fields.join(', ')}`;
}

const SHOWN_MAX = 60;
/** How much of what is the same stands before the first difference of two long texts. */
const LEAD = 24;

/** Two lists begin alike: shown is the place where they differ. */
export function shownPair(before: string, after: string): readonly [before: string, after: string] {
  let same = 0;
  while (same < Math.min(before.length, after.length) && before[same] === after[same]) same += 1;
  const isLong = before.length > SHOWN_MAX || after.length > SHOWN_MAX;
  const from = isLong ? same - LEAD : 0;
  const show = (text: string): string => (from > 0 ? `…${short(text.slice(from))}` : short(text));
  return [show(before), show(after)];
}

function short(text: string): string {
  const shown = text === '' ? "''" : text;
  return shown.length > SHOWN_MAX ? `${shown.slice(0, SHOWN_MAX - 1)}…` : shown;
}

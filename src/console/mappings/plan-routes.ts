/** Plans a folder or an earlier set, and brings a planned set into use: exactly the planned one, or none. */
import { statSync } from 'node:fs';
import express, { type Request, type Response, type Router } from 'express';
import { createLru } from '../../domain/lru';
import { readFolder, type MappingFileText } from '../../mapping/load';
import type { Reloaded } from '../../mapping/live';
import type { Mapping } from '../../mapping/mapping';
import { bareProblem, type Problem } from '../../mapping/problem';
import type { Plan } from '../../operator/plan/make-plan';
import type { Clock } from '../../domain/clock';
import { errorText } from '../../domain/shown-words';
import type { Cause } from '../../mapping/set-history';
import { notice, section, hidden, textOf, tick } from '../components';
import type { ConsoleParts } from '../console-parts';
import { html, type Html } from '../html';
import { inBackground } from '../work/in-background';
import type { Report } from '../work/jobs';
import { nameOf, readFolderState, type FolderState } from './folder-state';
import { problemsInPlace, showMappings } from './show-files';
import { showPlan } from './show-plan';

/** The set that the operator wants to plan. */
interface Wanted {
  readonly title: string;
  readonly files: readonly MappingFileText[];
  readonly by: Candidate['by'];
  /** Whether the set includes the edits of the folder. */
  readonly holdsEdits: boolean;
  /** The set is from another folder, whose files are not shown: the page shows only their problems. */
  readonly isElsewhere?: true;
}

export function planRoutes(parts: ConsoleParts, candidates: Candidates): Router {
  const router = express.Router();
  router.post('/plan', async (request, response) => {
    // Read once, before anything waits: the plan then knows each edit that an apply may overwrite, and a later edit is refused.
    const folder = readFolderState(parts);
    const wanted = readWanted(request.body, folder, parts);
    if (typeof wanted === 'string') return showMappings(request, response, 'Plan', notice('bad', wanted), 400);
    await plan(request, response, wanted, { parts, candidates, folder });
  });
  router.post('/apply', (request, response) => apply(request, response, { parts, candidates }));
  return router;
}

/** The wanted set, or a sentence about the fault of the form. */
function readWanted(form: unknown, { files }: FolderState, parts: ConsoleParts): Wanted | string {
  const kind = textOf(form, 'kind');
  if (kind === 'folder') return { title: 'Plan of the edits in the folder', files, by: 'apply', holdsEdits: true };
  if (kind === 'set') return earlierSet(textOf(form, 'set'), parts);
  if (kind !== 'path') return 'The form is not one of this page.';
  const folder = textOf(form, 'folder').trim();
  try {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      return 'There is no such folder on the machine of the gateway.';
  } catch (error) {
    return errorText(error);
  }
  const read = readFolder(folder);
  if ('problems' in read) return read.problems.map(({ message }) => message).join(' ');
  return { title: 'Plan of a folder', files: read.files, by: 'apply', holdsEdits: false, isElsewhere: true };
}

function earlierSet(hash: string, { live }: ConsoleParts): Wanted | string {
  const set = live.history.setOf(hash);
  if (set === undefined) return 'The history does not have the files of this set any more.';
  const isInUse = hash === live.current().hash;
  return {
    title: isInUse ? 'Put the folder back' : `Plan of the way back to ${hash.slice(0, 8)}`,
    files: set.files,
    by: 'rollback',
    holdsEdits: false,
  };
}

interface Planning {
  readonly parts: ConsoleParts;
  readonly candidates: Candidates;
}

async function plan(
  request: Request,
  response: Response,
  wanted: Wanted,
  { parts, candidates, folder }: Planning & { readonly folder: FolderState },
): Promise<void> {
  const { live, traffic } = parts;
  const [before, running] = [live.files(), live.current()];
  const shapes = (await traffic?.read())?.shapes ?? [];
  let report: Report<'plan'>;
  try {
    report = await inBackground('plan', { before, after: wanted.files, shapes });
  } catch (error) {
    return showMappings(request, response, wanted.title, notice('bad', errorText(error)), 503);
  }
  if ('problems' in report) return showProblems(request, response, wanted, report.problems);
  const { id, candidate: hash, running: runningHash, movesMoney } = report.plan;
  const losesEdits = !wanted.holdsEdits && folder.hash !== undefined && ![hash, runningHash].includes(folder.hash);
  const candidate: Candidate = {
    files: wanted.files.map((file) => ({ name: nameOf(file), text: file.text })),
    ...{ planId: id, hash, running, movesMoney, losesEdits, folderHash: folder.hash, by: wanted.by },
  };
  candidates.keep(candidate);
  showMappings(request, response, wanted.title, [showPlan(report.plan), applySection(report.plan, candidate, folder)]);
}

function showProblems(request: Request, response: Response, wanted: Wanted, found: readonly Problem[]): void {
  const problems = wanted.isElsewhere === true ? found.map(bareProblem) : found;
  const body = [
    notice('bad', 'Nothing is planned or applied before this is mended.'),
    section('Problems', problemsInPlace(problems)),
  ];
  showMappings(request, response, wanted.title, body, 422);
}

function applySection(
  { id, running, candidate }: Plan,
  { movesMoney, losesEdits }: Candidate,
  { hash, edited }: FolderState,
): Html | false {
  if (running === candidate && hash === candidate) return false;
  return section(
    'Apply',
    html`<form method="post" action="/console/mappings/apply">
      ${hidden('plan', id)} ${movesMoney && tick('money', 'This can move money, and it is meant to.')}
      ${losesEdits && tick('edits', `The edits in ${edited.join(', ')}, which are not in use, are lost.`)}
      <button class="${movesMoney ? 'danger' : 'primary'}">Apply exactly this</button>
    </form>`,
    { note: html`plan <code>${id}</code>` },
  );
}

async function apply(request: Request, response: Response, { parts, candidates }: Planning): Promise<void> {
  const refuse = (words: string, status: number): void => showMappings(request, response, 'Apply', notice('bad', words), status);
  const planned = candidates.find(textOf(request.body, 'plan'));
  if (planned === undefined) return refuse('This was planned too long ago, or before a restart. Plan it again.', 409);
  if (planned.movesMoney && textOf(request.body, 'money') !== 'yes')
    return refuse('Refused: this can move money, and the box that says so was not ticked.', 400);
  if (planned.losesEdits && textOf(request.body, 'edits') !== 'yes')
    return refuse('Refused: edits would be lost, and the box that says so was not ticked.', 400);
  const { files, hash, running, folderHash, by, planId } = planned;
  const applied = await parts.live.apply(files, hash, running.hash, { by, running, plan: planId, who: 'console', folderHash });
  await parts.everywhere();
  // A form that was sent twice finds its set in use already; that counts as done.
  const isDone = applied.kind === 'reloaded' || (applied.kind === 'running_changed' && applied.hash === hash);
  if (isDone) return response.redirect(303, '/console/mappings?said=applied');
  if (applied.kind === 'unchanged') return response.redirect(303, '/console/mappings?said=restored');
  const found = 'problems' in applied && problemsInPlace(applied.problems);
  showMappings(request, response, 'Apply', [notice('bad', REFUSED[applied.kind]), found], 409);
}

/** Why nothing was changed, in a sentence for the operator. */
export const REFUSED: Readonly<Record<Exclude<Reloaded['kind'], 'reloaded' | 'unchanged'>, string>> = {
  refused: 'Refused: the files have problems. The set in use stays.',
  folder_unreadable:
    'Refused: a file in the mappings folder cannot be read, so an edit in it could be lost. Mend or remove it; the set in use stays.',
  edited_meanwhile: 'Refused: the folder has been edited since this was planned. Plan again; the set in use stays.',
  running_changed: 'Refused: somebody has taken another set into use since this was planned. Plan again.',
  unwritable: 'Refused: the mappings folder or the data folder cannot be written. The set in use stays; the log says why.',
};

export interface Candidate {
  readonly files: readonly { readonly name: string; readonly text: string }[];
  readonly planId: string;
  readonly hash: string;
  /** The set in use at the time of the plan. */
  readonly running: Mapping;
  /** The hash of the folder at the time of the plan. Its edits may be lost only if the operator agrees. */
  readonly folderHash: string | undefined;
  readonly losesEdits: boolean;
  readonly movesMoney: boolean;
  readonly by: Cause['by'];
}

/** A plan expires, because later traffic may show more effects of the change. */
const LIVES_MS = 15 * 60_000;
const KEPT_MAX = 8;

/** Sets that were planned on a page and may be applied from it: only a few, and for a limited time. */
export class Candidates {
  readonly #kept = createLru<string, { readonly candidate: Candidate; readonly untilMs: number }>(KEPT_MAX);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keep(candidate: Candidate): void {
    this.#kept.set(candidate.planId, { candidate, untilMs: this.#clock.now() + LIVES_MS });
  }

  /** Undefined if the plan has expired, or was made by another process or before a restart. */
  find(planId: string): Candidate | undefined {
    const kept = this.#kept.get(planId);
    return kept !== undefined && this.#clock.now() < kept.untilMs ? kept.candidate : undefined;
  }
}

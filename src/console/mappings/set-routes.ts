/** Pages about single files and whole sets: their present text, earlier texts, and the differences of two sets. */
import express, { type Request, type Response, type Router } from 'express';
import type { MappingFileText } from '../../mapping/load';
import { changedFiles } from '../../mapping/set-history';
import { count, definitions, empty, notice, section, table, time, textOf } from '../components';
import type { ConsoleParts } from '../console-parts';
import { html, type Writable } from '../html';
import { inBackground } from '../work/in-background';
import { checkedFolder, nameOf, readFolderState } from './folder-state';
import { showMappings, showSource, showTextChanges } from './show-files';
import { describeUse, planButton, historyTable, setLink } from './show-history';
import { differenceList } from './show-plan';

export function setRoutes(parts: ConsoleParts): Router {
  const router = express.Router();
  router.get('/file', (request, response) => showFile(request, response, parts));
  router.get('/history', (request, response) => {
    const { live, clock } = parts;
    showMappings(request, response, 'History of mappings', historyTable(live.history.list(), live.current().hash, clock.now()));
  });
  router.get('/sets/:hash', (request, response) => showSet(request, response, parts));
  router.get('/compare', (request, response) => compare(request, response, parts));
  return router;
}

/** A file of the folder with its problems below the lines. */
async function showFile(request: Request, response: Response, parts: ConsoleParts): Promise<void> {
  const name = textOf(request.query, 'name');
  const folder = readFolderState(parts);
  const file = [...folder.files, ...parts.live.files()].find((one) => nameOf(one) === name);
  if (file === undefined) return showMappings(request, response, 'Mappings', notice('warn', 'There is no such file.'), 404);
  const { problems } = await checkedFolder(parts.facts.mappingsDir, folder.hash);
  const own = problems.filter((problem) => problem.file === file.file);
  showMappings(request, response, name, [
    own.length > 0 &&
      notice(own.some(({ severity }) => severity === 'error') ? 'bad' : 'warn', `${own.length} of its lines have a problem.`),
    section('As it is in the folder', showSource(file.text, own, name), { note: html`<code>${file.file}</code>` }),
  ]);
}

const NOT_KEPT = 'The history does not have this set, or not any more.';

async function showSet(request: Request, response: Response, { live, clock }: ConsoleParts): Promise<void> {
  const hash = String(request.params['hash']);
  const set = live.history.setOf(hash);
  if (set === undefined) return showMappings(request, response, 'Mappings', notice('warn', NOT_KEPT), 404);
  const name = textOf(request.query, 'file');
  // Links from rules have the file as its place names it.
  const file = set.files.find((one) => nameOf(one) === name || one.file === name);
  const uses = live.history.list().filter((use) => use.hash === hash);
  const isInUse = hash === live.current().hash;
  showMappings(request, response, `Set ${hash.slice(0, 8)}`, [
    section('Its uses', [
      definitions(uses.map((use) => [describeUse(use), time(use.atMs, clock.now())] as const)),
      html`<div class="row">
        ${!isInUse && planButton(hash, 'Go back to this set')}
        ${!isInUse && html`<a class="button" href="/console/mappings/compare?from=${hash}&to=${live.current().hash}">What is other now</a>`}
        ${isInUse && html`<span class="note">This set is in use.</span>`}
      </div>`,
    ]),
    section(
      'Its files',
      table(
        set.files,
        [
          { title: 'File', cell: (one) => html`<a href="?file=${encodeURIComponent(nameOf(one))}#text">${nameOf(one)}</a>` },
          { title: 'Lines', cell: ({ text }) => count(text.split('\n').length), isNumber: true },
        ],
        { caption: 'Files of this set', onPhone: 'scroll' },
      ),
    ),
    file !== undefined && section(`${nameOf(file)}, as it was`, showSource(file.text, [], name), { id: 'text' }),
  ]);
}

async function compare(request: Request, response: Response, { live }: ConsoleParts): Promise<void> {
  const [from, to] = ['from', 'to'].map((name) => textOf(request.query, name)) as [string, string];
  const [before, after] = [live.history.setOf(from), live.history.setOf(to)];
  if (before === undefined || after === undefined)
    return showMappings(request, response, 'Compare', notice('warn', 'The history does not have both of these sets.'), 404);
  const names = changedFiles(before.files, after.files);
  showMappings(request, response, 'What is other', [
    html`<p>From ${setLink(from)} to ${setLink(to)}.</p>`,
    section('What it means', await meaning(before.files, after.files)),
    section(
      'Line by line',
      names.length === 0 ? empty('The files are the same.') : showTextChanges(before.files, after.files, names),
    ),
  ]);
}

async function meaning(before: readonly MappingFileText[], after: readonly MappingFileText[]): Promise<Writable> {
  try {
    const report = await inBackground('plan', { before, after });
    if ('plan' in report) return differenceList(report.plan.differences);
  } catch {
    // An old set may be written in an older version of the mapping language.
  }
  return notice('warn', 'This version of the program cannot read one of the sets, so only its lines can be compared.');
}

/** The page of mapping files: the set in use, the files in the folder, the effect of a change, and the way back. */
import express, { type Request, type Response, type Router } from 'express';
import { errorText } from '../../domain/shown-words';
import type { Problem } from '../../mapping/problem';
import { stepBack } from '../../mapping/set-history';
import { badge, count, definitions, notice, section, table, textField, time, hidden, textOf } from '../components';
import type { ConsoleParts } from '../console-parts';
import { html, type Html } from '../html';
import { Candidates, planRoutes, REFUSED } from '../mappings/plan-routes';
import { checkedFolder, nameOf, readFolderState, type FolderState } from '../mappings/folder-state';
import { setRoutes } from '../mappings/set-routes';
import { problemsInPlace } from '../mappings/show-files';
import { describeUse, planButton, historyTable, PLAN, setLink, showNames } from '../mappings/show-history';
import { showCoverage, showDrift } from '../mappings/show-reports';
import { showPage, showPart, type ConsolePage } from '../page';
import { inBackground } from '../work/in-background';

export const mappingsPage: ConsolePage = {
  path: '/mappings',
  title: 'Mappings',
  routes(parts: ConsoleParts): Router {
    const router = express.Router();
    router.get('/', (request, response) => showOverview(request, response, parts));
    router.get('/check', (_request, response) => answerPart(response, () => checkPart(parts)));
    router.get('/coverage', (_request, response) =>
      answerPart(response, async () => showCoverage(await inBackground('coverage', parts.facts.mappingsDir))),
    );
    router.get('/drift', (_request, response) => answerPart(response, () => driftPart(parts)));
    router.post('/reload', async (request, response) => {
      const reloaded = await parts.live.reload({ cause: { by: 'reload', who: 'console' } });
      await parts.everywhere();
      if (reloaded.kind === 'reloaded' || reloaded.kind === 'unchanged')
        return response.redirect(303, `/console/mappings?said=${reloaded.kind}`);
      showOverview(request, response, parts, reloaded.kind);
    });
    router.use(planRoutes(parts, new Candidates(parts.clock)));
    router.use(setRoutes(parts));
    return router;
  },
};

const HISTORY_SHOWN = 8;

function showOverview(request: Request, response: Response, parts: ConsoleParts, refused?: keyof typeof REFUSED): void {
  const folder = readFolderState(parts);
  const uses = parts.live.history.list();
  const body = [
    doneNotice(textOf(request.query, 'said')),
    refused !== undefined && notice('bad', REFUSED[refused]),
    inUse(parts, folder),
    html`<div class="grid">
      <div class="column">
        ${checkSection(folder)} ${changeSection(parts)} ${onDemand('coverage', 'Coverage', 'plays every case', 'Play the cases')}
        ${
          parts.traffic === undefined
            ? section('Drift', notice('info', 'TRAFFIC_SHAPES is off, so requests are not recorded.'))
            : onDemand('drift', 'Drift', 'what scripts send and the mapping does not know', 'Look for drift')
        }
      </div>
      ${filesSection(parts, folder)}
    </div>`,
    section(
      'History',
      [
        historyTable(uses.slice(0, HISTORY_SHOWN), parts.live.current().hash, parts.clock.now()),
        uses.length > HISTORY_SHOWN && html`<a href="/console/mappings/history">All ${count(uses.length)} entries</a>`,
      ],
      { id: 'history' },
    ),
  ];
  const status = refused === undefined ? 200 : 409;
  showPage(request, response, { title: 'Mappings', body, styles: ['mappings.css'], status });
}

const DONE_TEXTS: Readonly<Record<string, string>> = {
  reloaded: 'The files of the folder are in use now.',
  unchanged: 'Nothing changed: the files of the folder are in use already.',
  applied: 'In use now, exactly as planned.',
  restored: 'The folder holds the set in use again.',
};

function doneNotice(what: string): Html | false {
  const words = Object.hasOwn(DONE_TEXTS, what) ? DONE_TEXTS[what] : undefined;
  return words !== undefined && notice('good', words);
}

function inUse({ live, clock }: ConsoleParts, folder: FolderState): Html {
  const { hash, formats, operations } = live.current();
  const uses = live.history.list();
  const use = uses.find((one) => one.hash === hash);
  const back = stepBack(uses, hash);
  const isSame = folder.hash === hash;
  return section(
    'In use',
    html`${definitions([
        ['Set', setLink(hash)],
        ['Since', use && html`${time(use.atMs, clock.now())} (${describeUse(use)})`],
        ['Formats', [...formats.values()].map(({ id, title }) => `${id.toUpperCase()} ${title}`).join(', ')],
        ['Operations', count(operations.size)],
        [
          'Folder',
          isSame
            ? badge('good', 'holds this set')
            : html`${badge('warn', 'has edits that are not in use')} ${showNames(folder.edited)}`,
        ],
      ])}
      <div class="row">
        ${!isSame && html`<form ${PLAN}>${hidden('kind', 'folder')}<button class="primary">Plan these edits</button></form>`}
        ${!isSame && planButton(hash, 'Put the folder back')} ${back !== undefined && planButton(back.hash, 'Go back one step')}
        <form method="post" action="/console/mappings/reload"><button>Reload the folder</button></form>
      </div>`,
  );
}

function filesSection({ live, facts }: ConsoleParts, folder: FolderState): Html {
  const shown = folder.files.length > 0 ? folder.files : live.files();
  const rows = shown.map((file) => ({ name: nameOf(file), lines: file.text.split('\n').length, file: file.file }));
  const gone = folder.edited.filter((name) => !rows.some((row) => row.name === name));
  const stateOf = (name: string): Html | false => {
    if (!folder.edited.includes(name)) return false;
    return live.files().some((file) => nameOf(file) === name) ? badge('warn', 'edited') : badge('info', 'new');
  };
  return section(
    'Files',
    [
      table(
        rows,
        [
          { title: 'File', cell: ({ name }) => html`<a href="${fileLink(name)}">${name}</a>` },
          { title: 'Lines', cell: ({ lines }) => count(lines), isNumber: true },
          {
            title: 'State',
            cell: ({ name, file }) => {
              const wrong = folder.problems.filter((problem) => problem.file === file).length;
              return [stateOf(name), wrong > 0 && html` ${badge('bad', wrong === 1 ? '1 problem' : `${wrong} problems`)}`];
            },
          },
        ],
        { caption: 'Mapping files', onPhone: 'scroll' },
      ),
      gone.length > 0 && html`<p class="note">Gone from the folder: ${gone.join(', ')}</p>`,
    ],
    { note: html`<code>${facts.mappingsDir}</code>` },
  );
}

function fileLink(name: string): string {
  return `/console/mappings/file?name=${encodeURIComponent(name)}`;
}

/** Shows the problems of the last reload at once. The whole check takes a moment and is loaded afterwards. */
function checkSection({ problems, files }: FolderState): Html {
  const known = problems.length === 0 ? html`<p class="note">The check of the folder runs…</p>` : problemList(problems, files);
  return section(
    'Check',
    html`<div class="stacked" hx-get="/console/mappings/check" hx-trigger="load" hx-swap="innerHTML">${known}</div>`,
    {
      note: 'of the folder, as compat-gateway check',
      id: 'check',
    },
  );
}

function problemList(problems: readonly Problem[], files: FolderState['files']): Html {
  return problemsInPlace(problems, (problem) => {
    const file = files.find((one) => one.file === problem.file);
    return file && `${fileLink(nameOf(file))}#line-${problem.line}`;
  });
}

async function checkPart(parts: ConsoleParts): Promise<Html> {
  const { files, hash } = readFolderState(parts);
  const { problems, isSound } = await checkedFolder(parts.facts.mappingsDir, hash);
  if (problems.length === 0) return notice('good', 'The folder has no problems.');
  return html`${
    isSound
      ? notice('warn', 'The files can be used. Look at these warnings.')
      : notice('bad', 'These files cannot be taken into use before this is mended.')
  }${problemList(problems, files)}`;
}

async function driftPart({ live, traffic, facts }: ConsoleParts): Promise<Html> {
  if (traffic === undefined) return notice('info', 'TRAFFIC_SHAPES is off.');
  const { callerKeys } = live.current();
  const input = { files: live.files(), traffic: await traffic.read(), folder: facts.mappingsDir };
  return showDrift(await inBackground('drift', input), (key) => callerKeys.get(key)?.title ?? key.slice(0, 8));
}

/** Computed only when the operator presses the button. */
function onDemand(name: string, title: string, note: string, button: string): Html {
  return section(
    title,
    html`<div id="${name}" class="stacked">
      <button hx-get="/console/mappings/${name}" hx-target="#${name}" hx-disabled-elt="this">${button}</button>
    </div>`,
    { note },
  );
}

async function answerPart(response: Response, make: () => Promise<Html>): Promise<void> {
  try {
    showPart(response, await make());
  } catch (error) {
    showPart(response, notice('bad', errorText(error)));
  }
}

function changeSection({ facts }: ConsoleParts): Html {
  const body = html`<form ${PLAN}>
    <p class="note">A folder with a whole set of mapping files, on the machine of the gateway.</p>
    ${hidden('kind', 'path')}
    ${textField({ name: 'folder', label: 'Folder', hint: `For example a copy of ${facts.mappingsDir}`, isRequired: true })}
    <button>Plan</button>
  </form>`;
  return section('Plan a folder', body, { note: 'plan first, then apply exactly that' });
}

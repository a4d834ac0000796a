/** Every set that came into use, newest first, with a way back to it. */
import { CAUSE_WORDS, type SetUse } from '../../mapping/set-history';
import { badge, table, time, type Column, hidden } from '../components';
import { html, type Html } from '../html';

export function describeUse({ by, who, caller }: Pick<SetUse, 'by' | 'who' | 'caller'>): string {
  return [`${CAUSE_WORDS[by]}${caller === undefined ? '' : `: ${caller}`}`, ...(who === undefined ? [] : [`by ${who}`])].join(
    ', ',
  );
}

export function historyTable(uses: readonly SetUse[], running: string, nowMs: number): Html {
  const newest = uses.find(({ hash }) => hash === running);
  const columns: readonly Column<SetUse>[] = [
    { title: 'Since', cell: ({ atMs }) => time(atMs, nowMs) },
    { title: 'What happened', cell: showHappened },
    { title: 'Changed files', cell: ({ changed }) => showNames(changed) },
    { title: 'Set', cell: ({ hash }) => setLink(hash) },
    {
      title: 'Way back',
      cell: (use) => {
        if (use.hash !== running) return planButton(use.hash, 'Go back to this');
        return use === newest ? badge('good', 'in use') : html`<span class="note">the set in use</span>`;
      },
    },
  ];
  return table(uses, columns, { caption: 'Sets of mapping files that came into use, newest first' });
}

function showHappened(use: SetUse): Html {
  const { plan, restarts } = use;
  return html`${describeUse(use)}${plan !== undefined && html` <span class="note">plan <code>${plan}</code></span>`}${
    restarts !== undefined && html` <span class="note">and ${restarts.count} starts since</span>`
  }`;
}

const NAMES_SHOWN = 3;

export function showNames(names: readonly string[]): Html {
  const more = names.length - NAMES_SHOWN;
  if (more > 1)
    return html`<details>
      <summary>${names.length} files</summary>
      ${names.map((name) => html`<div><code>${name}</code></div>`)}
    </details>`;
  return html`${names.map((name) => html`<div><code>${name}</code></div>`)}`;
}

export function setLink(hash: string): Html {
  return html`<a href="/console/mappings/sets/${hash}"><code>${hash.slice(0, 8)}</code></a>`;
}

/**
 * The attributes of a form that makes a plan. The present page stays until the plan is computed and is then replaced. It also
 * works without scripts.
 */
export const PLAN = html`method="post" action="/console/mappings/plan" hx-post="/console/mappings/plan" hx-target="#main"
hx-select="#main" hx-swap="outerHTML show:window:top" hx-disabled-elt="find button"`;

/** A button that leads to the plan of a set; it changes nothing yet. */
export function planButton(hash: string, words: string): Html {
  return html`<form ${PLAN}>${hidden('kind', 'set')}${hidden('set', hash)}<button>${words}</button></form>`;
}

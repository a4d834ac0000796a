/** Coverage and drift, with the content of `compat-gateway test --coverage` and `compat-gateway drift`. */
import { hasFound } from '../../operator/drift/find-drift';
import { badge, count, definitions, empty, notice, prose, table, time } from '../components';
import { html, type Html, type Writable } from '../html';
import type { Report } from '../work/jobs';
import { problemsInPlace, showPatch } from './show-files';

export function showCoverage({ problems, rows, failed, byKind, shown, of, missing }: Report<'coverage'>): Html {
  if (problems.length > 0)
    return html`${notice('bad', 'The cases cannot be played before this is mended.')} ${problemsInPlace(problems)}`;
  if (rows === 0) return empty('There are no cases beside the mappings.');
  const all = [...byKind, { kind: 'all', shown, of }];
  return html`${
    failed.length === 0
      ? notice('good', `${count(rows)} rows of cases were played: all as expected.`)
      : notice('bad', `${count(failed.length)} of ${count(rows)} rows of cases are not as expected.`)
  }
  ${failed.length > 0 && failures(failed)}
  ${table(
    all,
    [
      { title: 'Rules of kind', cell: ({ kind }) => kind },
      { title: 'Shown by a case', cell: (row) => count(row.shown), isNumber: true },
      { title: 'Of', cell: (row) => count(row.of), isNumber: true },
      { title: 'Share', cell: (row) => (row.of === 0 ? '100 %' : `${Math.floor((row.shown / row.of) * 100)} %`), isNumber: true },
    ],
    { caption: 'Which rules of the mappings the cases show', onPhone: 'scroll' },
  )}
  ${
    missing.length > 0 &&
    html`<details>
      <summary>${count(missing.length)} rules that no case shows</summary>
      <ul class="leaves">
        ${missing.map(({ place, kind, words }) => html`<li><code>${place}</code> ${kind}: ${words}</li>`)}
      </ul>
    </details>`
  }`;
}

function failures(failed: Report<'coverage'>['failed']): Html {
  return html`<ul class="differences">
    ${failed.map(
      ({ place, title, differences }) =>
        html`<li>
          <div>${badge('bad', 'differs')} <strong>${title}</strong> <code>${place}</code></div>
          <ul class="leaves">
            ${differences.map((words) => html`<li>${words}</li>`)}
          </ul>
        </li>`,
    )}
  </ul>`;
}

export function showDrift({ drift, made, left, diff }: Report<'drift'>, titleOf: (fingerprint: string) => string): Html {
  const { fields, words, addresses, families } = drift;
  return html`${definitions([
    ['Requests seen', count(drift.requests)],
    ['Since', time(drift.sinceMs)],
  ])}
  ${!hasFound(drift) && notice('good', 'Nothing to learn: every field, word and address that came is known.')}
  ${group('Unknown fields', fields, ({ operation, name, count: times, callers, advice }) => [
    html`<strong><code>${name}</code></strong> in ${operation}: ${count(times)} times, ${count(callers)} callers`,
    `${advice.kind === 'alias' ? `is ${advice.field}` : ADVICE[advice.kind]}: ${advice.because}`,
  ])}
  ${group('Words that no table has', words, ({ table: name, word, count: times, value, hint }) => [
    html`<strong><code>${word}</code></strong> for ${name}: ${count(times)} times`,
    value === undefined ? `yours to decide: ${hint}` : `likely ${value}`,
  ])}
  ${group('Addresses that are not served', addresses, ({ method, path, count: times, allowed }) => [
    html`<strong><code>${method} ${path}</code></strong> ${count(times)} times`,
    allowed.length === 0 ? '' : `takes ${allowed.join(' or ')}`,
  ])}
  ${group('Callers that look like a family', families, ({ caller, family, count: proven, purchases }) => [
    html`<strong>${titleOf(caller)}</strong> looks like ${family}`,
    `${count(proven)} of ${count(purchases)} purchases; \`family\` of its entry in callers.yaml`,
  ])}
  ${
    left.length > 0 &&
    html`<h3>To be written by hand</h3>
      ${additions(left)}`
  }
  ${
    made.length > 0 &&
    html`<h3>Patch</h3>
      ${additions(made)} ${showPatch(diff, 'Patch of the mapping files')}
      <p class="note">
        From the folder above the mappings: <code>compat-gateway drift --patch | patch -p0</code>, then plan the edits here.
      </p>`
  }`;
}

const ADVICE = {
  request_id: "the script's own id of an order, check",
  ignore: 'means nothing',
  decide: 'yours to decide',
} as const;

function group<T>(title: string, items: readonly T[], show: (item: T) => readonly [Writable, string]): Html | false {
  if (items.length === 0) return false;
  return html`<h3>${title}</h3>
    <ul class="differences">
      ${items.map(show).map(
        ([what, advice]) =>
          html`<li>
            <div>${what}</div>
            <div class="note">${prose(advice)}</div>
          </li>`,
      )}
    </ul>`;
}

function additions(list: Report<'drift'>['made']): Html {
  return html`<ul class="leaves">
    ${list.map(({ title, place, movesMoney }) => html`<li>${movesMoney && badge('warn', 'check')} ${title} <code>${place}</code></li>`)}
  </ul>`;
}

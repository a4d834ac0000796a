/** A plan as `compat-gateway plan` prints it: what can move money first, each with its place and its leaves, then the replay. */
import type { Difference } from '../../operator/plan/compare-sources';
import { headlineOf, type Plan } from '../../operator/plan/make-plan';
import { partWords, shownPair, type ReplayChange } from '../../operator/replay/group-changes';
import { badge, count, empty, notice, prose, section } from '../components';
import { html, type Html, type Writable } from '../html';

export function showPlan(plan: Plan): Writable {
  const { differences, replay, movesMoney, running, candidate } = plan;
  const money = differences.filter((one) => one.money !== undefined);
  const rest = differences.filter((one) => one.money === undefined);
  return [
    running === candidate
      ? notice('info', 'These files are the set in use: nothing would change.')
      : notice(movesMoney ? 'warn' : 'good', `The plan: ${headlineOf(plan)}`),
    money.length > 0 && section('Can move money', differenceList(money)),
    rest.length > 0 && section('Cannot move money', differenceList(rest)),
    replay !== undefined && section('Recorded requests', showReplay(replay)),
  ];
}

/** By meaning, each with its place. */
export function differenceList(differences: readonly Difference[]): Html {
  if (differences.length === 0) return empty('The files mean the same.');
  return html`<ul class="differences">
    ${differences.map(({ words, money, leaves, placeBefore, placeAfter }) => {
      const place = placeAfter ?? placeBefore;
      return html`<li>
        <div>${money !== undefined && badge('warn', 'money')} <strong>${prose(words)}</strong></div>
        <div class="note">
          ${place !== undefined && html`<code>${place.file}:${place.line}</code>${placeAfter === undefined && ' of the set before'}`}
          ${money !== undefined && html` ${money}`}
        </div>
        ${
          leaves !== undefined &&
          html`<details open>
            <summary>What is new says</summary>
            <ul class="leaves">
              ${leaves.map((leaf) => html`<li><code>${leaf}</code></li>`)}
            </ul>
          </details>`
        }
      </li>`;
    })}
  </ul>`;
}

function showReplay({ shapes, left, requests, played, changes }: NonNullable<Plan['replay']>): Html {
  if (shapes === 0) return empty('Nothing was replayed: no requests are recorded.');
  return html`<p class="note">
      ${left > 0 && `The most frequent ${shapes} of `}${counted(shapes + left, 'recorded shape')}
      (${counted(requests, 'request')}) went through both sets with ${counted(played, 'made-up request')}.
    </p>
    ${
      changes.length === 0
        ? empty('No v1 call and no reply would change.')
        : html`<ul class="differences">
            ${changes.map(showChange)}
          </ul>`
    }`;
}

function showChange(change: ReplayChange): Html {
  const { operations, examples, moreExamples, shapes, requests, money } = change;
  return html`<li>
    <div>${money !== undefined && badge('warn', 'money')} <strong>${operations.join(', ')}</strong> ${partWords(change)}</div>
    <ul class="leaves">
      ${examples.map(({ before, after }) => {
        const [from, to] = shownPair(before, after);
        return html`<li><code>${from}</code> → <code>${to}</code></li>`;
      })}
    </ul>
    <div class="note">
      ${moreExamples > 0 && `${moreExamples} more values; `}in ${counted(shapes, 'shape')}, ${counted(requests, 'request')}, such
      as
      <code>${examples[0]?.request}</code>${money !== undefined && ` (${money})`}
    </div>
  </li>`;
}

const counted = (many: number, what: string): string => `${count(many)} ${what}${many === 1 ? '' : 's'}`;

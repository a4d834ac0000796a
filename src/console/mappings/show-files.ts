/** Mapping files as pages show them, with problems below the lines that cause them. Keys that were written into them by mistake are masked. */
import { createTwoFilesPatch } from 'diff';
import type { Request, Response } from 'express';
import { maskSecrets } from '../../domain/shown-words';
import type { MappingFileText } from '../../mapping/load';
import { maskCallerKeys } from '../../mapping/mask-caller-keys';
import type { Problem } from '../../mapping/problem';
import { badge, prose } from '../components';
import { html, type Html, type Writable } from '../html';
import { showPage } from '../page';
import { nameOf } from './folder-state';

const maskText = (text: string): string => maskCallerKeys(text).split('\n').map(maskSecrets).join('\n');

/** Numbered lines; each problem follows its line. */
export function showSource(text: string, problems: readonly Problem[], label: string): Html {
  const lines = maskText(text.replace(/^\uFEFF/, '')).split(/\r?\n/);
  return html`<div class="source" tabindex="0" role="region" aria-label="${label}">
    <ol>
      ${lines.map((line, index) => {
        const here = problems.filter((problem) => problem.line === index + 1);
        return html`<li id="line-${index + 1}" ${here.length > 0 && html`class="marked"`}>
          <code>${line === '' ? ' ' : line}</code>${here.map(showProblem)}
        </li>`;
      })}
    </ol>
  </div>`;
}

function showProblem({ severity, message, hint, code }: Problem): Html {
  return html`<div class="in-place">
    ${badge(severity === 'error' ? 'bad' : 'warn', severity)} ${prose(message)} <span class="note">${code}</span>
    ${hint !== undefined && html`<div class="note">${prose(hint)}</div>`}
  </div>`;
}

/** A page about files or sets, with the way back to the mappings. */
export function showMappings(request: Request, response: Response, title: string, body: Writable, status = 200): void {
  const back = html`<p><a href="/console/mappings">Back to the mappings</a></p>`;
  showPage(request, response, {
    title,
    body: [body, back],
    styles: ['mappings.css'],
    // htmx does not show the body of a reply with an error status.
    status: request.headers['hx-request'] === 'true' ? 200 : status,
  });
}

/** All problems, each with its line and a link to that line. */
export function problemsInPlace(
  problems: readonly Problem[],
  linkOf: (problem: Problem) => string | undefined = () => undefined,
): Html {
  return html`<ul class="problems">
    ${problems.map((problem) => {
      const { file, line, column, severity, message, hint, code, frame } = problem;
      const place = html`<code>${file}:${line}:${column}</code>`;
      const link = linkOf(problem);
      return html`<li>
        ${badge(severity === 'error' ? 'bad' : 'warn', severity)}
        ${link === undefined ? place : html`<a href="${link}">${place}</a>`}
        <span>${prose(message)}</span> <span class="note">${hint !== undefined && prose(hint)} (${code})</span>
        ${frame !== undefined && html`<pre class="frame" tabindex="0" role="region" aria-label="Line ${line} of ${file}">${frame}</pre>`}
      </li>`;
    })}
  </ul>`;
}

/** The changed lines, file by file. */
export function showTextChanges(
  before: readonly MappingFileText[],
  after: readonly MappingFileText[],
  names: readonly string[],
): Html {
  const textIn = (files: readonly MappingFileText[], name: string): string =>
    maskText(files.find((file) => nameOf(file) === name)?.text ?? '');
  return html`${names.map((name) => {
    const patch = createTwoFilesPatch(name, name, textIn(before, name), textIn(after, name), undefined, undefined, {
      context: 3,
    });
    // The first lines of the diff only repeat the name of the file.
    return html`<h3>${name}</h3>
      ${showPatch(patch.split('\n').slice(4).join('\n'), `Changes of ${name}`)}`;
  })}`;
}

const KINDS: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'at' };

export function showPatch(patch: string, label: string): Html {
  return html`<pre class="code patch" tabindex="0" role="region" aria-label="${label}">
${patch
      .trimEnd()
      .split('\n')
      .map((line) => html`<span class="${KINDS[line.charAt(0)] ?? 'same'}">${line} </span>`)}</pre>`;
}

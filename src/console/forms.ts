/** What forms send, and the inputs that are not of one line. */
import { html, type Html, type Writable } from './html';

/** A field of a posted form or of an address as text; empty when it is absent, or was sent twice. */
export function textOf(fields: unknown, name: string): string {
  const value = (fields as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

export function textArea(field: {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly rows: number;
  readonly placeholder?: string;
  readonly hint?: string;
}): Html {
  const { name, label, value = '', rows, placeholder = '', hint } = field;
  // HTML drops a line break at the very beginning.
  return html`<div class="field">
    <label for="field-${name}">${label}</label>
    <textarea
      id="field-${name}"
      name="${name}"
      rows="${rows}"
      spellcheck="false"
      autocomplete="off"
      autocapitalize="off"
      placeholder="${placeholder}"
      ${hint !== undefined && html`aria-describedby="about-${name}"`}
    >
${value}</textarea>
    ${hint !== undefined && html`<span class="note" id="about-${name}">${hint}</span>`}
  </div>`;
}

/** A box that must be ticked before the form is sent. */
export function tick(name: string, words: Writable): Html {
  return html`<label class="tick"><input type="checkbox" name="${name}" value="yes" required /> <span>${words}</span></label>`;
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

import fc from 'fast-check';
import { html, Html } from '../../src/console/html';

test('no value in a template changes the elements around it', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'<>&"\'`/=! ab\n') }), (value) => {
      const { text } = html`<p title="${value}">${value}</p>`;
      expect(text.match(/[<>]/g)).toEqual(['<', '>', '<', '>']);
      expect(text.match(/"/g)).toEqual(['"', '"']);
      expect(unescape(text)).toBe(`<p title="${value}">${value}</p>`);
    }),
  );
});

/** The text as a browser reads it. */
function unescape(text: string): string {
  const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replace(/&(\w+|#39);/g, (_whole, name: string) => signs[name]!);
}

test('HTML is inserted unchanged, a list item by item, and an absent value as nothing', () => {
  const rows = ['<a>', 'b'].map((row) => html`<li>${row}</li>`);
  expect(
    html`<ul>
      ${rows}${undefined}${null}${false}${0}
    </ul>`.text.replace(/\s+/g, ''),
  ).toBe('<ul><li>&lt;a&gt;</li><li>b</li>0</ul>');
  expect(String(new Html('<b>'))).toBe('<b>');
});

test('an attribute value without quotes throws at once', () => {
  expect(() => html`<p class=${'a b'}>x</p>`).toThrow('stands in quotes');
  expect(() => html`<p id="${1}" class=${'a b'}>x</p>`).toThrow('stands in quotes');
  expect(html`<a href="/x?to=${'/y'}">z</a>`.text).toBe('<a href="/x?to=/y">z</a>');
  expect(html`<p>1 = ${1}</p>`.text).toBe('<p>1 = 1</p>');
});

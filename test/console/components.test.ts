import {
  ageWords,
  ago,
  badge,
  codeBlock,
  count,
  definitions,
  figure,
  minuteOf,
  naira,
  nairaWords,
  notice,
  pager,
  prose,
  section,
  selectField,
  showTimesIn,
  table,
  textField,
  time,
} from '../../src/console/components';
import { kobo } from '../../src/domain/amount';

test('money is shown in naira, with kobo only where there are some', () => {
  expect([0, 5, 98_050, 123_456_700, -150].map((amount) => nairaWords(kobo(amount)))).toEqual([
    '₦0',
    '₦0.05',
    '₦980.50',
    '₦1,234,567',
    '−₦1.50',
  ]);
  expect(naira(undefined).text).toContain('not known');
  expect(count(1_234_567)).toBe('1,234,567');
});

test('an age is shown in the unit that fits', () => {
  const hour = 3_600_000;
  expect([-5, 850, 2_500, 45_000, 3 * 60_000, 5 * hour, 48 * hour].map(ageWords)).toEqual([
    ...['0 ms', '850 ms', '2.5 s', '45 s', '3 min', '5 h', '2 days'],
  ]);
  expect(ago(0, 60_000).text).toContain('60 s ago');
  expect(time(Date.UTC(2026, 10, 24, 12)).text).toMatch(/datetime="2026-11-24T12:00:00.000Z"[^]*24 Nov 2026/);
});

test('times are in TIME_ZONE, as in every command, whatever the zone of the machine', () => {
  const atMs = Date.UTC(2026, 10, 24, 23, 30, 5);
  expect([time(atMs).text.includes('25 Nov 2026, 00:30:05'), minuteOf(atMs)]).toEqual([true, '00:30']);
  showTimesIn('America/New_York');
  expect([time(atMs).text.includes('24 Nov 2026, 18:30:05'), minuteOf(atMs)]).toEqual([true, '18:30']);
  expect(ago(atMs, atMs + 1_000).text).toContain('24 Nov 2026, 18:30:05');
  showTimesIn('Africa/Lagos');
});

test('a table has headings for rows and columns, and says when it is empty', () => {
  const columns = [
    { title: 'Caller', cell: (row: { name: string }) => row.name },
    { title: 'Sold', cell: () => 7, isNumber: true },
  ];
  const { text } = table([{ name: '<Ada>' }], columns, { caption: 'Callers' });
  expect(text).toContain('<th scope="row" >&lt;Ada&gt;</th>');
  expect(text).toMatch(/<td\s+class="number" data-title="Sold">7<\/td>/);
  expect(table([], columns, { caption: 'Callers', empty: 'Nobody yet.' }).text).toContain('Nobody yet.');
});

test('the hint of a field stands beside it and is linked to it', () => {
  const { text } = textField({ name: 'phone', label: 'Phone', value: '"', hint: 'Eleven digits.' });
  expect(text).toMatch(/value="&quot;"[\s\S]*aria-describedby="about-phone"/);
  expect(text).toMatch(/id="about-phone" class="note">Eleven digits/);
  expect(
    selectField({
      name: 'a',
      label: 'A',
      value: 'y',
      options: [
        ['x', 'X'],
        ['y', 'Y'],
      ],
    }).text,
  ).toMatch(/value="y" selected/);
});

test('a status is shown by a sign and a word, not only by colour', () => {
  expect(badge('bad', 'v1 down').text).toMatch(/✕<\/span>\s*v1 down/);
  expect(notice('bad', 'No.').text).toContain('role="alert"');
});

test('names without a value are left out, and only real targets are links', () => {
  expect(
    definitions([
      ['A', 1],
      ['B', undefined],
    ]).text,
  ).not.toContain('B');
  expect(section('A', prose('Run `a<b` now')).text).toMatch(/Run <code>a&lt;b<\/code> now/);
  expect(pager({})).toBe(false);
  expect(String(pager({ older: '?before=5' }))).toMatch(/Older/);
  expect(codeBlock('<x>', 'Reply').text).toContain('&lt;x&gt;');
  expect(section('Title', figure('Sold', 5), { note: 'today' }).text).toMatch(/Title[\s\S]*today[\s\S]*Sold/);
});

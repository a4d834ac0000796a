/**
 * Airtime in every combination of address, field, number and phone. Where address and fields agree, they decide. Where they
 * contradict each other and the number means two networks, the phone's prefix decides, or the sale is refused. In every format
 * the sale is of the network that the format means by the number or, where the number is not ported, of the one that only the
 * original MSORG numbering means.
 */
import type { GatewayError } from '../../src/domain/errors';
import { guardNumbering } from '../../src/gateway/read/guard-numbering';
import { matchRequest, detect, intentOf } from './pure-steps';

type Id = 'a' | 'b' | 'c';

/** The formats in question: those that contradict each other or, where no signal decides, A and B. */
type Read = Id | 'ab' | 'ac' | 'bc' | 'abc';

const ADDRESSES = ['/api/airtime', '/api/airtime/', '/api/topup', '/api/topup/'] as const;

interface Row {
  readonly fields: Readonly<Record<string, string | boolean>>;
  /** The field that holds the phone. */
  readonly phone: string;
  /** The format of each address. */
  readonly read: readonly [Read, Read, Read, Read];
}

// Facts, section 8. The address without a slash numbers like A, with it and at /api/topup like B.
const ROWS: readonly Row[] = [
  { phone: 'phone_number', fields: {}, read: ['ab', 'ab', 'ab', 'ab'] },
  { phone: 'phone', fields: {}, read: ['a', 'ab', 'ab', 'ab'] },
  { phone: 'phone', fields: { ref: 'r' }, read: ['a', 'abc', 'ab', 'ab'] },
  { phone: 'phone', fields: { bypass: true }, read: ['a', 'a', 'a', 'a'] },
  { phone: 'phone', fields: { bypass: '', plan_type: 'VTU' }, read: ['a', 'a', 'a', 'a'] },
  { phone: 'phone_number', fields: { plan_type: 'VTU' }, read: ['a', 'ab', 'ab', 'ab'] },
  { phone: 'phone', fields: { ported_number: true, ref: 'r' }, read: ['abc', 'abc', 'abc', 'abc'] },
  { phone: 'phone_number', fields: { ported_number: true, ref: 'r' }, read: ['abc', 'abc', 'abc', 'abc'] },
  { phone: 'mobile_number', fields: {}, read: ['ab', 'b', 'b', 'b'] },
  { phone: 'mobile_number', fields: { Ported_number: true, airtime_type: 'VTU' }, read: ['ab', 'b', 'b', 'b'] },
  { phone: 'mobile_number', fields: { bypass: true }, read: ['ab', 'ab', 'ab', 'ab'] },
];

const MEANINGS: Readonly<Record<string, Readonly<Record<Id, string>>>> = {
  '1': { a: 'MTN', b: 'MTN', c: 'MTN' },
  '2': { a: 'AIRTEL', b: 'GLO', c: 'GLO' },
  '3': { a: 'GLO', b: 'AIRTEL', c: '9MOBILE' },
  '4': { a: '9MOBILE', b: '9MOBILE', c: 'AIRTEL' },
};
/** The original MSORG numbering, which is C's as well. */
const ORIGINAL: Readonly<Record<string, string>> = { '1': 'MTN', '2': 'GLO', '3': '9MOBILE', '4': 'AIRTEL' };
const PHONES = { MTN: '08031234567', AIRTEL: '08021234567', GLO: '08051234567', '9MOBILE': '08091234567', nobody: '07991234567' };

const cells = ROWS.flatMap(({ fields, phone, read }) =>
  ADDRESSES.map((path, index) => [path, JSON.stringify({ [phone]: '…', ...fields }), read[index]!, { fields, phone }] as const),
);

function outcomeOf(path: string, body: Readonly<Record<string, string | boolean>>, certain = {}): string {
  try {
    return detect({ path, body }, certain).format;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** The network that is bought, or the code of the refusal. */
function boughtAt(path: string, body: Readonly<Record<string, string | boolean>>): unknown {
  try {
    const { format } = detect({ path, body });
    const asked = matchRequest({ path, body });
    return guardNumbering(intentOf({ path, body }, format), asked.request, asked.mapping).values['network'];
  } catch (error) {
    return (error as GatewayError).code;
  }
}

test.each(cells)('%s with %s is read %s', (path, _title, read, { fields, phone }) => {
  const isUnported = ![fields['bypass'], fields['Ported_number'], fields['ported_number']].includes(true);
  for (const [number, meaning] of Object.entries(MEANINGS)) {
    for (const [owner, digits] of Object.entries(PHONES)) {
      const sent = { ...fields, network: number, amount: '100', [phone]: digits };
      const inQuestion = [...read] as Id[];
      const fitting = inQuestion.filter((format) => meaning[format] === owner);
      const explaining = (['a', 'b'] as const).filter((format) => meaning[format] === owner);
      const isPlain = new Set(inQuestion.map((format) => meaning[format])).size === 1;
      const isOriginal = isUnported && explaining.length === 0 && ORIGINAL[number] === owner;
      const outcome = outcomeOf(path, sent);
      const expected = isPlain ? inQuestion : fitting.length > 0 ? fitting : isOriginal ? inQuestion : ['ambiguous_format'];
      expect({ number, owner, outcome, expected }).toEqual({
        number,
        owner,
        outcome: expected.find((one) => one === outcome),
        expected,
      });
      const meant = outcome === 'ambiguous_format' ? outcome : meaning[outcome as Id];
      const isExplained = meant !== owner && (explaining.length > 0 || ORIGINAL[number] === owner);
      const refused = outcome === 'ambiguous_format' ? outcome : 'network_number_doubtful';
      const bought = isOriginal ? owner : isExplained ? refused : meant;
      expect({ number, owner, bought: boughtAt(path, sent) }).toEqual({ number, owner, bought });
    }
  }
});

test.each(cells)(
  '%s with %s, which would be read %s, is unambiguous with a pin, a token or a name',
  (path, _title, _read, cell) => {
    const sent = { ...cell.fields, network: '2', amount: '100', [cell.phone]: PHONES.nobody };
    for (const format of ['a', 'b', 'c']) {
      expect(outcomeOf(`/${format}${path}`, sent)).toBe(format);
      expect(outcomeOf(path, sent, { pinnedByCaller: format })).toBe(format);
      expect(outcomeOf(path, sent, { markedByToken: format })).toBe(format);
    }
    expect(['a', 'b', 'c']).toContain(outcomeOf(path, { ...sent, network: 'GLO' }));
  },
);

/**
 * Compares our conditions with what the original Topupmate classes concluded from a mock: each row is one reply, each column
 * one class of scripts. A condition that disagrees with a measurement is wrong.
 */
import type { JsonObject } from '../../src/domain/json';
import type { Conclusion, Family } from './family';
import { newer, older } from './topupmate-scripts';

/** `Cyberghost5` reads data replies in another way; the third copy knows pending exams. */
const columns: readonly Family[] = [
  ...[older.airtime, older.data, older.bills, older.a],
  ...[newer.most, newer.data, newer.exam, newer.examOfThird, newer.pins, newer.cableOfTwo],
];

const S: Conclusion = 'sale';
const P: Conclusion = 'pending';
const F: Conclusion = 'failure';
/** PHP ended the script with an error. */
const X: Conclusion = 'unknown';

const failed = { status: 'fail', Status: 'failed', error: ['Insufficient balance'] };

type Row = readonly [what: string, status: number, body: JsonObject | undefined, concluded: readonly Conclusion[]];

const measured: readonly Row[] = [
  ['success / successful, 200', 200, { status: 'success', Status: 'successful' }, [S, S, S, S, S, S, S, S, S, S]],
  ['success / successful, 201', 201, { status: 'success', Status: 'successful' }, [S, S, S, S, S, S, S, S, S, S]],
  ['process / processing, 200', 200, { status: 'process', Status: 'processing' }, [S, S, F, F, P, P, F, P, F, P]],
  ['pending / processing, 200', 200, { status: 'pending', Status: 'processing' }, [S, S, F, F, P, P, F, P, F, P]],
  ['pending / pending, 200', 200, { status: 'pending', Status: 'pending' }, [F, F, F, F, P, F, F, P, F, P]],
  ['pending only, 200', 200, { status: 'pending' }, [F, F, F, F, P, F, F, P, F, P]],
  ['success / processing, 200', 200, { status: 'success', Status: 'processing' }, [S, S, S, S, P, P, S, P, S, P]],
  ['fail / failed with error, 400', 400, failed, [F, F, F, F, F, F, F, F, F, X]],
  ['fail / failed with error, 200', 200, failed, [F, F, F, F, F, F, F, F, F, X]],
  ['the shape of v1, 400', 400, { status: 'error', message: 'no' }, [F, F, F, F, F, F, F, F, F, F]],
  ['a refused token, 401', 401, { detail: 'Invalid token.' }, [F, F, F, F, F, F, F, F, F, F]],
  ['an empty body, 504', 504, undefined, [F, F, F, F, F, F, F, F, F, F]],
];

test.each(measured)('%s is concluded as measured', (_, status, body, concluded) => {
  const ours = columns.map((family) => [family.name, family.concludes({ status, body })]);
  expect(ours).toEqual(columns.map(({ name }, index) => [name, concluded[index]]));
});

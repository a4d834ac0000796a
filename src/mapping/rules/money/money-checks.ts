/** Every check of this room: mistakes that the schema of the language cannot detect. */
import type { Check } from '../checking';
import { checkDecided } from './check-decided';
import { checkGoods } from './check-goods';
import { checkLists } from './check-lists';
import { checkNames } from './check-names';
import { checkRepeats } from './check-repeats';
import { checkSent } from './check-sent';
import { checkTimes } from './check-times';
import { checkWritten } from './check-written';

export const MONEY_CHECKS: readonly Check[] = [
  checkSent,
  checkDecided,
  checkLists,
  checkGoods,
  checkNames,
  checkRepeats,
  checkTimes,
  checkWritten,
];

/** Where conversations of the reply table are held: the stage of the cases, one conversation after another. */
import type { SeenCall } from '../../../src/operator/case/scripted-v1';
import { withFamilyOfKey } from '../../../src/operator/case/run-cases';
import { createStage, type CaseHouse } from '../../../src/operator/case/stage';
import type { CannedAnswer } from './canned-v1';
import { mapping } from './samples';

/** What v1 answers to a call. */
export type Script = (call: SeenCall) => CannedAnswer;

const stage = createStage({ hasLookupKey: false, keyPrefix: '00c0ffee' });
let turn: Promise<unknown> = Promise.resolve();

/** Talks in a world of its own, after all who came before. */
export function inTurn<T>(script: Script, talk: (house: CaseHouse) => Promise<T>, family?: string): Promise<T> {
  const told = turn.then(() =>
    stage.play(
      (key) => withFamilyOfKey(family, key, mapping),
      (call) => answerOf(script(call)),
      talk,
    ),
  );
  turn = told.catch(() => undefined);
  return told;
}

function answerOf(canned: CannedAnswer): ReturnType<Parameters<typeof stage.play>[1]> {
  if ('breaks' in canned) return canned.while_sending ? 'lost' : 'unreachable';
  return { http: canned.http, ...canned.body };
}

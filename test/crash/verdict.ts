/** Compares what scripts were told with v1's own books. */
import { buyAtV1, type Told } from '../faults/purchase';
import { askUntilFinal, type ScriptOrder } from './scripts';

export interface Verdict {
  readonly orders: number;
  readonly charged: number;
  /** Requests whose connection was refused. */
  readonly refused: number;
  /** Requests that were accepted and got no reply. */
  readonly cutOff: number;
  readonly toldSuccess: number;
  /** Orders without a final status word: the gateway asked v1, but could not tell them from other orders. */
  readonly openInTheEnd: number;
  readonly doubleCharges: number;
  /** One sentence each. */
  readonly lost: readonly string[];
  readonly lies: readonly string[];
}

interface Judged {
  readonly order: ScriptOrder;
  readonly isCharged: boolean;
  /** v1 has the order and refunded it. */
  readonly isRefunded: boolean;
  readonly last: Told;
}

const REFUSED = /ECONNREFUSED/;
const AT_ONCE = 16;

/** The part of v1 that the comparison needs. */
export interface Books {
  readonly url: string;
  countOrders(): number | Promise<number>;
}

/** `others`: orders in v1's book that these scripts did not make. */
export async function judgeOrders(orders: readonly ScriptOrder[], url: string, v1: Books, others = 0): Promise<Verdict> {
  const judged: Judged[] = [];
  const left = orders.values();
  const judge = async (): Promise<void> => {
    for (const order of left) judged.push({ order, ...(await findCharge(order, v1)), last: await askUntilFinal(url, order, 0) });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, judge));
  const charged = judged.filter((one) => one.isCharged).length;
  const unanswered = orders.flatMap(({ told }) => told.filter(({ http }) => http === 0));
  return {
    orders: orders.length,
    charged,
    refused: unanswered.filter(({ text }) => REFUSED.test(text)).length,
    cutOff: unanswered.filter(({ text }) => !REFUSED.test(text)).length,
    toldSuccess: orders.filter(({ told }) => told.some(({ word }) => word === 'success')).length,
    openInTheEnd: judged.filter(({ last }) => last.word === 'pending').length,
    // v1 keeps one order for each request id, so every further order has an id that no script sent.
    doubleCharges: (await v1.countOrders()) - others - charged - judged.filter((one) => one.isRefunded).length,
    lost: judged.flatMap(findLoss),
    lies: judged.flatMap(findLies),
  };
}

/** Asks v1 directly with a purchase without fields: v1 replies with the order of that request id, or sells nothing. */
export async function findCharge({ key, requestId }: ScriptOrder, v1: Books): Promise<Pick<Judged, 'isCharged' | 'isRefunded'>> {
  const response = await buyAtV1(v1.url, key, { request_id: requestId });
  const { refunded } = (await response.json()) as { readonly refunded?: boolean };
  return { isCharged: response.status === 200, isRefunded: refunded === true };
}

function findLoss({ order, isCharged, last }: Judged): readonly string[] {
  const wasTaken = order.told.some(({ word }) => word === 'success' || word === 'pending');
  const isKnown = last.http === 200 && last.word !== 'nonsense';
  return (isCharged || wasTaken) && !isKnown ? [`${order.requestId} cannot be asked for: HTTP ${last.http} ${last.text}`] : [];
}

function findLies({ order, isCharged, last }: Judged): readonly string[] {
  const answers = [...order.told.filter(({ http }) => http !== 0), last];
  const words = answers.map(({ word }) => word);
  const unread = answers.find(({ word }) => word === 'nonsense');
  const heard = answers.map(({ word, http, text }) => `${word} (HTTP ${http} ${text.slice(0, 120)})`).join(', ');
  return [
    ...(words.includes(isCharged ? 'fail' : 'success')
      ? [`${order.requestId} was told ${heard} and is ${isCharged ? '' : 'not '}charged`]
      : []),
    ...(order.concluded === (isCharged ? 'failure' : 'sale')
      ? [`${order.requestId} ended as a ${order.concluded} for its script and is ${isCharged ? '' : 'not '}charged`]
      : []),
    ...(unread === undefined ? [] : [`${order.requestId} was told HTTP ${unread.http} ${unread.text.slice(0, 300)}`]),
  ];
}

export function describeVerdict({ lost, lies, ...counts }: Verdict): string {
  return JSON.stringify({ ...counts, lost: lost.length, lies: lies.length });
}

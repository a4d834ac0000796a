/**
 * What every source of a value holds, part by part: the checker judges paths and transforms by it, the reference shows
 * it. A test holds it to what the gateway really puts there.
 */
import type { Shape } from './shape';
import { V1_REPLIES } from './v1-shapes';

const dataPlan = {
  id: 'number',
  network: 'text',
  network_id: 'number',
  name: 'text',
  plan_name: 'text',
  data_size: 'text',
  data_type: 'text',
  validity: 'text',
  price: 'kobo',
} as const;

/** The columns of every list that `each` can go over. */
export const ROW_SHAPES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  'catalog.data_plans': dataPlan,
  'catalog.cable_plans': {
    id: 'number',
    provider: 'text',
    cable_id: 'text',
    name: 'text',
    plan_name: 'text',
    price: 'kobo',
  },
  'catalog.cable_providers': { id: 'number', name: 'text' },
  'catalog.discos': { id: 'number', name: 'text', charge: 'kobo' },
  'catalog.exams': { id: 'any', name: 'text', price: 'kobo' },
  'catalog.recharge_cards': { network: 'text', denomination: 'number', price: 'kobo' },
  networks: { number: 'number', name: 'text', label: 'text', prefixes: 'list' },
  orders: {
    id: 'number',
    request_id: 'any',
    reference: 'text',
    transaction_ref: 'text',
    category: 'text',
    amount: 'any',
    status: 'text',
    description: 'text',
    created_at: 'text',
    words: { status: 'text', Status: 'text' },
  },
};

/**
 * What a failed order does not have, by part of `$order`. Some scripts take any id for a sale; what was charged before the
 * order failed was given back, so a balance would be an old one.
 */
export const NOTHING_OF_A_FAILURE = {
  number: null,
  reference: null,
  charged: null,
  balance_before: null,
  balance_after: null,
  cashback: null,
  token: null,
  pins: null,
} as const;

/** What stands behind `$name`; `v1` depends on the endpoint, `row` on the list. */
export const ROOT_SHAPES: Readonly<Record<string, Shape>> = {
  text: 'text',
  http: 'number',
  words: { status: 'text', Status: 'text' },
  order: {
    request_id: 'any',
    echo: 'object',
    number: 'number',
    reference: 'text',
    operation: 'text',
    opened_at: 'time',
    charged: 'kobo',
    balance_before: 'kobo',
    balance_after: 'kobo',
    cashback: 'kobo',
    token: 'text',
    pins: 'cards',
  },
  catalog: {
    data_plans: 'rows',
    cable_plans: 'rows',
    cable_providers: 'rows',
    discos: 'rows',
    exams: 'rows',
    recharge_cards: 'rows',
  },
  networks: 'rows',
  orders: 'rows',
  login: { username: 'text', access_token: 'text', is_basic: 'flag', pin: 'text' },
  refusal: { code: 'text', detail: 'text' },
  sent: { request_id: 'any', echo: 'object' },
  list: 'rows',
};

/** The reply of the v1 endpoint that an operation calls, such as `GET /balance`. */
export function v1Shape(endpoint: string | undefined): Shape {
  return (endpoint === undefined ? undefined : V1_REPLIES[endpoint]) ?? 'any';
}

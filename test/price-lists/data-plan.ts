import type { JsonObject } from '../../src/domain/json';

/** A data plan as v1's catalog shows it; a test names only the parts that matter. */
export const dataPlan = (id: number, change: JsonObject = {}): JsonObject => ({
  id,
  network: 'MTN',
  plan_name: '1GB',
  display_name: '',
  data_type: 'SME',
  data_size: '1GB',
  validity: '30 days',
  selling_price: '480.50',
  ...change,
});

import { readCatalog } from '../../src/price-lists/read-catalog';
import type { JsonObject } from '../../src/domain/json';

const DISCO = { disco_id: 1, disco_name: 'Ikeja', charge: '0.00' };

describe('a catalog reply', () => {
  it.each([{}, { data: null }, { data: [] }, { data: {} }, { data: { data_plans: 'none' } }])(
    'is none when it has no plans: %j',
    (body) => {
      expect(readCatalog(body as JsonObject)).toBeUndefined();
    },
  );

  it('loses a row that cannot be read, and keeps the others', () => {
    const read = readCatalog({
      data: {
        data_plans: [],
        cable_plans: [],
        discos: [DISCO, { disco_id: '2' }, null],
        exam_prices: {},
        recharge_card_prices: {},
      },
    });
    expect(read?.discos).toEqual([DISCO]);
  });

  it('has empty price tables where v1 sends none', () => {
    const read = readCatalog({ data: { data_plans: [], exam_prices: [] } });
    expect(read).toMatchObject({
      cable_plans: [],
      discos: [],
      exam_prices: {},
      recharge_card_prices: {},
      bulk_sms_pricing: null,
    });
  });

  it('keeps what v1 may add one day', () => {
    const read = readCatalog({ data: { data_plans: [], discos: [{ ...DISCO, colour: 'red' }], news: 'x' } });
    expect(read).toMatchObject({ news: 'x', discos: [{ colour: 'red' }] });
  });
});

import { addressesOf, type Address } from './reply-table/addresses';
import { callOf, playSample, replyToSample, isRefusal, type Told } from './reply-table/play-sample';
import { differences } from './reply-table/differences';
import { isUpdating, observeGolden, readGolden, staleGoldenFiles, writeGolden } from './reply-table/golden-file';
import { outcomesOf } from './reply-table/outcomes';
import { mapping, operationOf, rows, sampleOf, samples } from './reply-table/samples';

test('every operation of the mapping has a sample in every format, and no sample is left over', () => {
  const wanted = rows.map(([operation, format]) => `${operation}.${format}`);
  const present = Object.entries(samples).flatMap(([operation, byFormat]) =>
    Object.keys(byFormat).map((format) => `${operation}.${format}`),
  );
  expect(present.sort()).toEqual(wanted.sort());
});

test('every route of the mapping is an address of the reply table', () => {
  const covered = new Set(
    rows.flatMap(([operation, format]) =>
      addressesOf(operation, format).map(({ method, route }) => `${method} ${route} ${operation}`),
    ),
  );
  const wanted = mapping.routes.flatMap(({ methods, path, operation }) =>
    methods.map((method) => `${method} ${path} ${operation}`),
  );
  expect(wanted.filter((route) => !covered.has(route))).toEqual([]);
});

test('no golden file is stale', () => {
  expect(staleGoldenFiles()).toEqual([]);
});

test.each(rows)('%s in format %s is told as its golden file says, whatever becomes of it', async (operation, format) => {
  const observed = await observeGolden(operation, format);
  if (isUpdating) await writeGolden(operation);
  const golden = readGolden(operation, format);
  expect(golden).toBeDefined();
  expect(differences(golden, observed)).toEqual([]);
  // The order of the fields as well.
  expect(JSON.stringify(golden)).toBe(JSON.stringify(observed));
});

test.each(rows)('%s in format %s is recognised by its own spellings', async (operation, format) => {
  const { format: recognised } = await replyToSample(operation, format, 'success');
  expect(recognised).toBe(format);
});

test.each(rows)('%s in format %s is told the same at every route, whatever becomes of it', async (operation, format) => {
  const plain = addressesOf(operation, format).filter(({ isPlain }) => isPlain);
  expect(await differencesFromOwnAddress(operation, format, outcomesOf(operation), plain)).toEqual([]);
});

test.each(rows)('%s in format %s is told the same with every slash, pinned or not', async (operation, format) => {
  expect(await differencesFromOwnAddress(operation, format, ['success'], addressesOf(operation, format))).toEqual([]);
});

/** What is told otherwise at these addresses than where the script of the sample sends it. */
async function differencesFromOwnAddress(
  operation: string,
  format: string,
  outcomes: readonly string[],
  addresses: readonly Address[],
): Promise<string[]> {
  const unlike: string[] = [];
  for (const outcome of outcomes) {
    const home = await replyToSample(operation, format, outcome);
    for (const address of addresses) {
      const told = await playSample(operation, format, outcome, { address });
      const isAmbiguous = !address.isPinned && sampleOf(operation, format).ambiguous_at.includes(address.route);
      const lines = isAmbiguous && !isRefusal(outcome) ? unlessRefused(told) : unlessSame(operation, home, told);
      unlike.push(...lines.map((line) => `${outcome} at ${address.method} ${address.target}: ${line}`));
    }
  }
  return unlike;
}

/** The number of the network has two meanings there: nothing may reach v1. */
function unlessRefused({ refusalCode, calls }: Told): string[] {
  return differences({ refusalCode: 'ambiguous_format', calls: [] }, { refusalCode, calls });
}

function unlessSame(operation: string, home: Told, told: Told): string[] {
  const relevant = (one: Told): unknown => ({
    http: one.status,
    reply: one.body,
    call: callOf(operation, one),
    heldMs: one.heldMs,
  });
  return differences(relevant(home), relevant(told));
}

test.each(rows)('%s in format %s asks nothing of v1 when the gateway itself refuses', async (operation, format) => {
  for (const outcome of outcomesOf(operation).filter(isRefusal)) {
    const { calls, refusalCode } = await replyToSample(operation, format, outcome);
    expect({ outcome, calls, refusalCode }).toEqual({
      outcome,
      calls: [],
      refusalCode: outcome === 'no_key' ? 'missing_credentials' : 'missing_field',
    });
  }
});

test('an order whose answers are lost is sent again under the same request id only, never as another order', async () => {
  for (const [operation, format] of rows.filter(([name]) => operationOf(name).kind === 'purchase')) {
    const { calls } = await replyToSample(operation, format, 'unknown');
    const sent = calls
      .filter(({ endpoint }) => endpoint.startsWith('POST '))
      .map(({ fields, key }) => JSON.stringify([fields, key]));
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent).size).toBe(1);
  }
});

test.each(['success', 'pending', 'declined', 'rejected', 'wrong_key'])(
  'an order that v1 answers with %s is sent once',
  async (outcome) => {
    for (const [operation, format] of rows.filter(([name]) => operationOf(name).kind === 'purchase')) {
      const { calls } = await replyToSample(operation, format, outcome);
      const sent = calls.filter(({ endpoint }) => endpoint !== 'GET /receipt');
      expect({ operation, format, sent: sent.length }).toEqual({ operation, format, sent: 1 });
    }
  },
);

import { afterEach, expect, test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import type { CreationEntry, CreationOutcome } from '../../src/account-import/create/create-account.rules.ts';
import { until } from '../support/until.ts';
import { entriesOf, startFakes, type Fakes } from './fakes.ts';

let fakes: Fakes;
afterEach(async () => {
  await fakes.stop();
});

const start = async (createAlone: (entry: CreationEntry) => Promise<CreationOutcome>) => {
  fakes = await startFakes(process.env['TEST_TEMPORAL_ADDRESS'] as string, { createAlone });
};
const [entry] = entriesOf(1) as [CreationEntry];

test('returns the outcome of its activity', async () => {
  await start(async () => ({ kind: 'created', serviceAccountNumber: 'A-1' }));
  expect(await (await fakes.startSingle(entry)).result()).toEqual({ kind: 'created', serviceAccountNumber: 'A-1' });
});

test('retries until the data is corrected, shows what to do meanwhile, and ends with a refusal or a creation', async () => {
  let isMended = false;
  const tried: CreationEntry[] = [];
  await start(async (given) => {
    tried.push(given);
    if (!isMended) {
      throw ApplicationFailure.create({
        type: 'database_refuses_data',
        message: 'The database rejects the data (SQLSTATE 23514 at account.x).',
      });
    }
    return { kind: 'refused', code: 'import_process_marked_to_skip' };
  });
  const handle = await fakes.startSingle(entry);
  await until(async () => (await handle.describe()).raw.pendingActivities?.[0]?.attempt === 3);
  const { raw } = await handle.describe();
  expect(raw.pendingActivities).toMatchObject([
    {
      activityType: { name: 'createAlone' },
      lastFailure: { message: 'The database rejects the data (SQLSTATE 23514 at account.x).' },
    },
  ]);
  expect(await handle.query('__temporal_workflow_metadata')).toMatchObject({
    currentDetails: expect.stringContaining('stage it again'),
  });
  isMended = true;
  expect(await handle.result()).toEqual({ kind: 'refused', code: 'import_process_marked_to_skip' });
  for (const given of tried) expect(given).toEqual(entry);
});

import { afterAll, expect, test } from '@jest/globals';
import { createLog } from '../../../src/platform/log.ts';
import { dispatchRound } from '../../../src/platform/work-items/dispatch-work-items.ts';
import { OPEN_RUNS_QUERY, openRunsAddress } from '../../../src/platform/temporal/web-ui.ts';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { points, POPULATE } from '../../support/population.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());

test("shows the runs in progress in the view that npm start prints for Temporal's web UI", async () => {
  await service.stopWorker();
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const { body } = await service.call('POST', POPULATE, { token, body: { prm_ids: points(1) } });
  const found: string[] = [];
  const log = createLog({ level: 'silent', process: 'test' });
  await until(async () => {
    found.length = 0;
    // Starts the runs that the request could not start within its deadline.
    await dispatchRound({ database: service.database, gateway: service.gateway, log });
    for await (const run of service.gateway.client().workflow.list({ query: OPEN_RUNS_QUERY })) {
      found.push(run.workflowId);
    }
    return found.length >= 2;
  }, 500);
  expect(found.toSorted()).toEqual(['look-up-supply-points/enedis', `populate-supply-points/${body.batch_id}`]);
  expect(new URL(openRunsAddress('http://127.0.0.1:8233', 'default')).searchParams.get('query')).toBe(OPEN_RUNS_QUERY);
});

import { afterAll, expect, test } from '@jest/globals';
import { startCutProxy, type CutProxy } from '../support/cut-proxy.ts';
import { send, startService } from '../support/harness.ts';
import { until } from '../support/until.ts';

let probes = 0;
let proxy: CutProxy;
const throughProxy = async (url: string) => {
  // The statement's own name, sent with each execution.
  proxy = await startCutProxy(url, (bytes) => {
    probes += bytes.toString('latin1').split('can_write()').length - 1 || (bytes.includes('\0ready\0') ? 1 : 0);
  });
  return proxy;
};
const service = await startService({ throughProxy });
afterAll(() => service.stop());

const ready = () => send(service.url, 'GET', '/healthz/ready');

test('probes the database once a second at most', async () => {
  await until(async () => (await service.call('GET', '/healthz/ready')).status === 200);
  probes = 0;
  const begun = performance.now();
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(Array.from({ length: 100 }, ready));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  }
  const seconds = (performance.now() - begun) / 1_000;
  expect(probes).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  // The count is correct: later it is probed again.
  await until(async () => {
    await ready();
    return probes > 0;
  });
  const before = probes;
  await until(async () => {
    await ready();
    return probes > before;
  });
});

test('reports a change of readiness after that second', async () => {
  proxy.cut();
  await until(async () => (await ready()).body.database === 'away');
  proxy.mend();
  await until(async () => (await ready()).status === 200);
});

test.each([
  ['its disk takes no more data', 'temp_file_limit', "'0'"],
  ['it is read-only', 'default_transaction_read_only', 'on'],
])('reports a database as not writable while %s', async (_what, setting, value) => {
  const { pool } = service.database;
  const name = (await pool.query('select current_database() as name')).rows[0].name;
  /** Settings of a database apply to new connections. */
  const change = async (what: string) => {
    await pool.query(`begin; set transaction read write; alter database ${name} ${what}; commit`);
    await pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  };
  await change(`set ${setting} = ${value}`);
  await until(async () => (await ready()).body.database === 'not_writable');
  expect((await ready()).status).toBe(503);
  await change(`reset ${setting}`);
  await until(async () => (await ready()).status === 200);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCommandHere } from '../support/command-here.ts';
import { runCommand } from '../support/command-line.ts';
import { points, startPopulation, type PopulationService } from '../support/population.ts';
import { until } from '../support/until.ts';

let service: PopulationService;
let folder: string;
const at = (name: string) => ({ XDG_CONFIG_HOME: join(folder, name), DATA_DIR: join(folder, 'none') });
const supplier = (...args: string[]) => runCommandHere(args, at('supplier'));
const operator = (...args: string[]) => runCommandHere(args, at('operator'));
beforeAll(async () => {
  service = await startPopulation();
  folder = mkdtempSync(join(tmpdir(), 'gangway-cli-'));
  for (const [role, suppliers] of [
    ['supplier', ['SUPPLIER_FR']],
    ['operator', undefined],
  ] as const) {
    const { body } = await service.call('POST', '/v1/operations/api-keys/', {
      token: service.operatorToken,
      body: { organisation: role, name: 'cli', role, ...(suppliers ? { import_suppliers: suppliers } : {}) },
    });
    const { status, stderr } = await runCommandHere(['login', '--url', service.url], {
      ...at(role),
      GANGWAY_API_KEY: body.api_key,
    });
    if (status !== 0) throw new Error(stderr);
  }
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service?.stop();
});

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('a file is sent and watched to its end; the exit status tells whether anything is errored', async () => {
  const good = await supplier(
    'supply-points',
    'populate',
    file('good.txt', `${points(30, 61_000_000_000_000).join('\n')}\nGI153883\npce 06100000000001\n`),
  );
  expect(good).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /Accepted as batch [0-9a-f-]{36}\n[\s\S]*COMPLETED {2}\[#{30}\] 100 % {2}32 imported, 0 pending, 0 errored of 32/,
    ),
  });
  const bad = await supplier(
    'supply-points',
    'populate',
    file('bad.json', JSON.stringify({ prm_ids: ['99999999999999', '61000000000000'] })),
    '--json',
  );
  expect(bad).toMatchObject({ status: 1, stderr: '1 identifiers failed.\n' });
  expect(JSON.parse(bad.stdout)).toMatchObject({
    status: 'COMPLETED',
    errored_requests: { prms: [{ id: '99999999999999', errored_reason: 'EPRM000' }] },
  });
});

test('an authorisation is said with a batch or set for an organisation, and an operator sees what it has brought', async () => {
  const [said, set, without] = ['64000000000000', '64000000000001', '64000000000002'];
  const send = async (point: string, ...options: string[]) =>
    JSON.parse((await supplier('supply-points', 'populate', file(`${point}.txt`, point), '--json', ...options)).stdout);
  expect(await send(said, '--customer-authorisation', '--import-supplier', 'SUPPLIER_FR')).toMatchObject({
    customer_authorisation: true,
    import_suppliers: ['SUPPLIER_FR'],
  });
  expect(await operator('organisation', 'set', 'supplier', '--customer-authorisation', 'on')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--reason'),
  });
  expect(
    await operator('organisation', 'set', 'supplier', '--customer-authorisation', 'on', '--reason', 'mandates checked'),
  ).toMatchObject({ status: 0, stdout: expect.stringContaining('customer_authorisation: true') });
  expect((await operator('organisation', 'list')).stdout).toMatch(/^supplier +on /m);
  expect(await send(set)).toMatchObject({ customer_authorisation: true });
  await operator('organisation', 'set', 'supplier', '--customer-authorisation', 'off', '--reason', 'ended');
  expect((await operator('organisation', 'show', 'supplier')).stdout).toContain('customer_authorisation: false');
  expect(await send(without)).toMatchObject({ customer_authorisation: false });
  expect((await operator('supply-points', 'show', 'enedis', said)).stdout).toContain('subscribed_power: 3 kVA');
  expect((await operator('supply-points', 'show', 'enedis', without)).stdout).not.toContain('subscribed_power');
  expect(await operator('supply-points', 'show', 'enedis', '64000000000009')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('No batch and no account'),
  });
});

test.each<[string, string, number, string]>([
  ['a malformed identifier', '123', 1, 'prm_ids.0: A PRM has 14 digits.'],
  ['what only looks like JSON', '{"prm_ids": [', 2, 'is not valid JSON'],
  ['an empty file', '', 1, 'Send at least one identifier'],
])('%s', async (_what, content, status, sentence) => {
  expect(await supplier('supply-points', 'populate', file('faulty', content))).toMatchObject({
    status,
    stderr: expect.stringContaining(sentence),
  });
});

test('an operator sets the speed, follows a batch, cancels and retries it', async () => {
  expect(await supplier('supply-points', 'populate', join(folder, 'none.txt'))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('cannot be read'),
  });
  expect(await operator('throttle', 'set', 'enedis', '--per-second', '0', '--reason', 'maintenance')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('enedis is paused'),
  });
  const { stdout } = await supplier(
    'supply-points',
    'populate',
    file('more.txt', points(5, 62_000_000_000_000).join('\n')),
    '--no-watch',
    '--json',
  );
  const { batch_id: batch } = JSON.parse(stdout);
  expect(await operator('supply-points', 'status', batch)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('0 imported, 5 pending, 0 errored of 5'),
  });
  expect((await supplier('supply-points', 'list', '--limit', '1')).stdout).toMatch(
    new RegExp(`^BATCH .*\\n${batch} .* IN_PROGRESS +5 +5 +0 +SUPPLIER_FR\\n$`),
  );
  expect(JSON.parse((await operator('supply-points', 'list', '--json')).stdout)[0]).toMatchObject({ batch_id: batch });
  let shown = '';
  const watching = runCommand(['supply-points', 'status', batch, '--watch'], at('supplier'), undefined, (stdout) => {
    shown = stdout;
  });
  await until(() => shown.includes('5 pending'));
  // It asks again meanwhile, which must not show.
  await sleep(2_500);
  expect((await operator('supply-points', 'cancel', batch)).stdout).toBe(
    'The batch is CANCELLED; 5 identifiers were still pending.\n',
  );
  const watched = await watching;
  expect(watched).toMatchObject({ status: 1, stderr: 'The batch was canceled.\n' });
  expect(watched.stdout.match(/^\[.* 5 pending/gm)).toHaveLength(1); // A file gets a line when something has moved, not each second.
  expect((await operator('supply-points', 'retry', batch)).stdout).toBe('5 identifiers will be requested again.\n');
  expect((await operator('throttle', 'set', 'enedis', '--per-second', '1000', '--per-hour', '3600000')).status).toBe(0);
  expect(await operator('supply-points', 'status', batch, '--watch')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('5 imported, 0 pending'),
  });
  expect((await operator('supply-points', 'retry-one', 'enedis', '62000000000000')).stdout).toContain(
    'Nothing to retry',
  );
  expect((await operator('throttle', 'show', 'enedis')).stdout).toBe(
    'enedis receives 965 calls per second: at most 1000 calls per second and 3600000 per hour (maintenance).\n',
  );
  expect(await operator('throttle', 'set', 'enedis')).toMatchObject({ status: 2 });
  expect(await operator('throttle', 'set', 'enedis', '--per-second', 'fast')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('A number from 0'),
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LiveList } from '../../src/cli/live-list.ts';
import { waveIn } from '../../src/cli/wave-view.ts';
import { runSupplierCommandHere } from '../support/command-here.ts';
import { startService, type Service } from '../support/harness.ts';
import { openOperatorShell, type OperatorShell } from '../support/operator-shell.ts';
import { until } from '../support/until.ts';
import { waveClient, type WaveClient } from '../support/waves.ts';

let service: Service;
let operator: OperatorShell;
let client: WaveClient;
let environment: Record<string, string>;
beforeAll(async () => {
  service = await startService({ worker: true });
  operator = await openOperatorShell(service);
  client = await waveClient(service);
  const { rows } = await service.database.pool.query('select organisation from wave where id = $1', [
    await client.open(),
  ]);
  const made = await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation: rows[0].organisation, name: 'cli', role: 'supplier', import_suppliers: ['SUPPLIER_FR'] },
  });
  environment = { GANGWAY_URL: service.url, GANGWAY_API_KEY: made.body.api_key as string };
});
afterAll(async () => {
  operator?.remove();
  await service?.stop();
});

const run = (...args: string[]) => runSupplierCommandHere(args, environment);

test('shows a wave with its gates and the next decision, to suppliers and operators', async () => {
  const wave = await client.open({ plan: { create_until: '2099-01-01T00:00:00Z', supply_start_from: '2099-02-01' } });
  const empty = await run('waves', 'show', wave);
  expect(empty.stdout).toContain(
    'Creation from now until 2099-01-01T00:00:00.000Z. Supply starts from 2099-02-01 to -.',
  );
  expect(empty.stdout).toMatch(/\[ \] complete +The wave has no accounts\./);
  expect(empty.stdout).toContain(`gangway import accounts.ndjson --supplier SUPPLIER_FR --goal stage --wave ${wave}`);
  await client.stage(wave, ['S-1', 'S-2']);
  expect(await run('waves', 'rehearse', wave, '--watch')).toMatchObject({
    status: 4,
    stderr: expect.stringContaining(`gangway waves create ${wave}`),
  });
  expect(await run('waves', 'create', wave, '--watch')).toMatchObject({
    status: 4,
    stdout: expect.stringMatching(/\[x\] created +2 of 2 accounts/),
    stderr: expect.stringMatching(/gangway reconcile start --job \S+ --watch/),
  });
  expect((await operator.run('waves', 'show', wave)).stdout).toContain('npm run -s cli -- reconcile start --job');
  expect((await operator.run('waves', 'list')).stdout).toMatch(/^WAVE +NAME +IMPORT SUPPLIER +STATUS +GATE/);
  expect(await operator.run('waves', 'numbers', wave)).toMatchObject({ status: 2 });
});

test('pauses, resumes and cancels a wave', async () => {
  const wave = await client.open({ plan: { create_from: '2099-01-01T00:00:00Z' } });
  await client.stage(wave, ['P-1']);
  await client.post(wave, 'rehearse');
  await client.untilGate(wave, 'rehearsed', 'passed');
  expect((await run('waves', 'create', wave)).stdout).toContain('SCHEDULED');
  expect((await run('waves', 'pause', wave)).stdout).toContain('PAUSED (asked)');
  expect(await run('waves', 'show', wave, '--watch')).toMatchObject({
    status: 4,
    stderr: expect.stringContaining(`gangway waves resume ${wave}`),
  });
  expect((await operator.json('waves', 'resume', wave)).status).toBe('SCHEDULED');
  expect((await run('waves', 'cancel', wave)).stdout).toContain('CANCELLED');
  expect(await run('waves', 'show', wave, '--watch', '--json')).toMatchObject({
    status: 1,
    stderr: 'The wave is CANCELLED.\n',
  });
  expect((await run('waves', 'resume', wave)).stderr).toContain('The status of the wave is CANCELLED');
});

test('changes the plan of a wave', async () => {
  const wave = await client.open({ options: { canary: 5 } });
  const reason = ['--reason', 'later'];
  const args = ['--create-until', '2099-01-01T00:00:00Z', '--expected-accounts', '7', '--canary', 'none'];
  const changed = await run('waves', 'change', wave, ...args, ...reason);
  expect(changed.stderr).toBe('');
  expect(changed.stdout).toContain('Changed: plan.create_until, plan.expected_accounts, options.canary.');
  expect(changed.stdout).toContain('7 accounts expected.');
  const stop = await operator.json('waves', 'change', wave, '--stop-after-failures', '2%', ...reason);
  expect(stop).toMatchObject({ changed: ['options.stop_after_failures'], approval_ended: false });
  expect((await client.see(wave)).options).toEqual({ stop_after_failures: { percent: 2 } });
  for (const [wrong, sentence] of [
    [reason, 'Name at least one value that changes.'],
    [['--canary', 'few', ...reason], 'A whole number above 0 is expected.'],
    [['--canary', '5'], '--reason'],
  ] as const) {
    const answer = await run('waves', 'change', wave, ...wrong);
    expect(answer).toMatchObject({ status: 2, stderr: expect.stringContaining(sentence) });
  }
});

test('excludes and moves accounts by number and from a file', async () => {
  const [from, to] = [await client.open(), await client.open()];
  await client.stage(from, ['M-1', 'M-2', 'M-3']);
  const file = join(operator.folder, 'numbers.txt');
  writeFileSync(file, 'M-2\r\n\nM-9\n');
  const moved = await run('waves', 'move', to, 'M-1', '--file', file, '--reason', 'Later.');
  expect(moved.stdout).toContain(`2 accounts moved from ${from}.`);
  expect(moved.stdout).toContain('The others belong to no other wave');
  expect((await run('waves', 'exclude', from, 'M-3', '--reason', 'Twice.', '--json')).stdout).toBe('{"excluded":1}\n');
  await until(async () => (await client.see(to)).counts.accounts === 2);
  for (const [args, sentence] of [
    [['exclude', from, '--reason', 'x'], 'Name accounts'],
    [['move', from, '--reason', 'x'], 'Name accounts'],
    [['exclude', from, 'M-1'], '--reason'],
    [['numbers', from, '--csv', '--json'], 'Choose --csv or --json'],
    [['list', '--status', 'GONE'], 'PREPARING'],
  ] as const) {
    expect(await run('waves', ...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(sentence) });
  }
});

test('stages accounts of a file into a wave', async () => {
  const wave = await client.open();
  const file = join(operator.folder, 'accounts.ndjson');
  writeFileSync(file, '{"external_account_number": "I-1"}\n');
  const args = ['import', file, '--supplier', 'SUPPLIER_FR', '--goal', 'stage', '--no-start'];
  expect((await run(...args, '--wave', wave)).status).toBe(0);
  expect((await client.see(wave)).jobs).toMatchObject([{ kind: 'accounts', goal: 'STAGE', status: 'OPEN' }]);
  expect((await run('waves', 'show', wave)).stdout).toContain('is not started');
  // Without the wave, the file gets another job.
  expect((await run(...args)).stdout).toContain('Created job');
});

test('a response that is not a wave is rejected in a sentence', () => {
  for (const body of [null, [], {}, { wave_id: 'x', name: 'x', status: 'x', counts: {} }, { gates: [null] }]) {
    expect(() => waveIn(body)).toThrow('The response of the service is not a wave.');
  }
});

test('redraws a list on a terminal, and prints only changed lines elsewhere', () => {
  const written: string[] = [];
  const { write } = process.stdout;
  const terminal = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');
  process.stdout.write = (text: string) => written.push(text) > 0;
  const line = (text: string, key = text) => ({ id: 'a', text, key });
  try {
    Object.defineProperty(process.stdout, 'isTTY', { value: true, configurable: true });
    const list = new LiveList({});
    list.show([line('one'), { ...line('two'), id: 'b' }]);
    const upload = list.progressLine('upload');
    upload.show('Uploading');
    upload.keep();
    expect(written).toEqual(['one\ntwo\n', '\u001B[2A\u001B[Jone\ntwo\nUploading\n', '\u001B[3A\u001B[Jone\ntwo\n']);
    written.length = 0;
    Object.defineProperty(process.stdout, 'isTTY', { value: false, configurable: true });
    const log = new LiveList({});
    for (const text of ['1 of 3', '2 of 3']) log.show([line(text, 'open')]);
    log.show([line('3 of 3', 'passed')]);
    expect(written).toEqual(['1 of 3\n', '3 of 3\n']);
    new LiveList({ json: true }).show([line('silent')]);
    expect(written).toHaveLength(2);
  } finally {
    process.stdout.write = write;
    if (terminal === undefined) Reflect.deleteProperty(process.stdout, 'isTTY');
    else Object.defineProperty(process.stdout, 'isTTY', terminal);
  }
});

test('withdraws a wave after a preview', async () => {
  const wave = await client.open();
  await client.stage(wave, ['W-1', 'W-2']);
  await run('waves', 'rehearse', wave, '--watch');
  await run('waves', 'create', wave, '--watch');
  const reason = ['--reason', 'wrong month'];
  const preview = await run('waves', 'withdraw', wave, '--dry-run', ...reason);
  expect(preview).toMatchObject({ status: 0, stdout: expect.stringContaining('2 accounts can be withdrawn, 0 would') });
  expect(await run('waves', 'withdraw', wave)).toMatchObject({ status: 2 });
  const kept = join(operator.folder, 'kept.ndjson');
  expect(await run('waves', 'withdraw', wave, '--dry-run', '--kept', kept, ...reason)).toMatchObject({ status: 2 });
  const note = { import_supplier: 'SUPPLIER_FR', external_account_number: 'W-2', notes: [{ body: 'A call.' }] };
  await service.call('POST', '/v1/data-import/notes/create/', { token: client.jobs.token, body: note });
  const withdrawn = await run('waves', 'withdraw', wave, '--kept', kept, '--businesses', ...reason);
  expect(withdrawn).toMatchObject({ status: 0, stdout: expect.stringContaining('The wave is CREATED.') });
  expect(readFileSync(kept, 'utf8')).toBe('{"external_account_number":"W-2","obstacles":["notes_added"]}\n');
  await service.database.pool.query("delete from note where body = 'A call.'");
  const again = await run('waves', 'withdraw', wave, '--watch', ...reason);
  expect(again).toMatchObject({ status: 0, stdout: expect.stringContaining('The wave is WITHDRAWN.') });
});

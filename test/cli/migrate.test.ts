import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { businessAccount } from '../support/account-payload.ts';
import { charge, countRows, statement } from '../support/attachments.ts';
import { businessRequest, contractsRequest } from '../support/business-payload.ts';
import { runSupplierCommandHere } from '../support/command-here.ts';
import { startService, type Service } from '../support/harness.ts';
import { openOperatorShell, type OperatorShell } from '../support/operator-shell.ts';
import { startPaymentVendors, type SimulatedVendors } from '../support/payment-vendors.ts';
import { startAnswering } from '../support/scripted-server.ts';
import { openSupplierShell, type SupplierShell } from '../support/supplier-shell.ts';
import { operatorKey, waveAccount } from '../support/waves.ts';

let vendors: SimulatedVendors;
let service: Service;
let shell: SupplierShell;
let operator: OperatorShell;
beforeAll(async () => {
  vendors = await startPaymentVendors();
  service = await startService({ worker: true, settings: vendors.settings });
  shell = await openSupplierShell(service, 'SUPPLIER_FR');
  operator = await openOperatorShell(service);
}, 60_000);
afterAll(async () => {
  shell?.remove();
  operator?.remove();
  await service?.stop();
  await vendors?.stop();
});

const ndjson = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** A folder with files of a migration: kind to records; the ending selects the compression. */
function folderOf(name: string, files: Record<string, readonly object[]>): string {
  const folder = join(shell.folder, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [file, records] of Object.entries(files)) {
    const text = ndjson(records);
    const content = file.endsWith('.gz') ? gzipSync(text) : file.endsWith('.zst') ? zstdCompressSync(text) : text;
    writeFileSync(join(folder, file), content);
  }
  return folder;
}

const run = (...args: string[]) => runSupplierCommandHere(args, shell.environment);
const migrate = (folder: string, wave: string, ...more: string[]) =>
  run('migrate', folder, '--supplier', 'SUPPLIER_FR', '--wave', wave, ...more);
const decide = (verb: string, waveId: string, token: string) =>
  service.call('POST', `/v1/operations/waves/${waveId}/${verb}/`, { token, body: { reason: 'Rehearsed.' } });

async function waveOf(name: string): Promise<any> {
  const { stdout } = await run('waves', 'list', '--name', name, '--json');
  const [{ wave_id: id }] = JSON.parse(stdout);
  return JSON.parse((await run('waves', 'show', id, '--json')).stdout);
}
const jobsOf = (wave: any): string[] =>
  wave.jobs.map(({ kind, goal, status, failed }: any) => `${kind} ${goal} ${status} ${failed}`).toReversed();

function folderOfSevenKinds(): string {
  const accounts = [businessAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'M-1' }, 1)];
  for (const external of ['M-2', 'M-3', 'M-4']) accounts.push(waveAccount(external) as (typeof accounts)[number]);
  for (const account of accounts) delete account.payment_preferences;
  return folderOf('seven', {
    'businesses.ndjson': [businessRequest({}, 1)],
    'business-contracts.ndjson': [contractsRequest(['ADDED-1'], 1)],
    'accounts.ndjson.gz': accounts,
    'notes.ndjson.zst': [{ external_account_number: 'M-2', notes: [{ body: 'Moved.' }] }],
    'transactions.ndjson': [{ external_account_number: 'M-2', transactions: [charge('A')] }],
    'statements.ndjson': [{ external_account_number: 'M-2', statements: [statement('A')] }],
    'payment-instructions.ndjson': [
      { external_account_number: 'M-2', vendor: 'GOCARDLESS', reference: 'MD-0001', type: 'DIRECT_DEBIT' },
    ],
  });
}

test('migrates a folder of seven kinds with a canary and an approval', async () => {
  const folder = folderOfSevenKinds();
  const options = ['--canary', '1', '--requires-approval', '--create-from', '2026-01-01T00:00:00+01:00'];
  const asked = await migrate(folder, 'Brittany 3', ...options);
  expect(asked).toMatchObject({ status: 4, stderr: expect.stringContaining('No approval was requested.') });
  expect(asked.stderr).toContain('run the same command again');
  expect(asked.stdout).toMatch(/\[x\] rehearsed +The rehearsal tried all 4 accounts/);
  const { wave_id: id } = await waveOf('Brittany 3');

  // An option that differs from those of the wave is refused before anything is done.
  expect(await migrate(folder, 'Brittany 3', '--canary', '2')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('other values of --canary'),
  });

  const second = await operatorKey(service, 'second');
  const requested = await operator.json('waves', 'request-approval', id, '--reason', 'Rehearsed.');
  expect(requested.approval).toMatchObject({ requested_by: 'Ops / cli', decision: null });
  expect(await operator.run('waves', 'approve', id, '--reason', 'x')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Ask a second person'),
  });
  expect((await migrate(folder, 'Brittany 3')).stderr).toContain('waves approve');
  expect((await decide('approve', id, second)).status).toBe(200);

  const canary = await migrate(folder, 'Brittany 3', ...options);
  expect(canary).toMatchObject({ status: 4, stderr: expect.stringContaining('1 created, 0 failed') });
  expect(canary.stderr).toContain(`gangway waves resume ${id}`);
  expect((await migrate(folder, 'Brittany 3')).status).toBe(4);
  const shown = await run('waves', 'show', id);
  expect(shown.stdout).toMatch(/\[!\] created +1 of 4 accounts are created/);
  expect(shown.stdout).toContain('approved by Ops / second');
  expect((await run('waves', 'resume', id)).status).toBe(0);

  const done = await migrate(folder, 'Brittany 3');
  expect(done).toMatchObject({ status: 0, stderr: '' });
  expect(done.stdout).toMatch(/4 accounts with \d+ values compared, 0 differ/);
  expect(done.stdout).toContain(`waves sign-off ${id}`);
  const wave = await waveOf('Brittany 3');
  expect(jobsOf(wave)).toEqual([
    'businesses IMPORT COMPLETED 0',
    'business-contracts IMPORT COMPLETED 0',
    'accounts STAGE COMPLETED 0',
    'accounts REHEARSE COMPLETED 0',
    'accounts CREATE COMPLETED 0',
    'notes IMPORT COMPLETED 0',
    'transactions IMPORT COMPLETED 0',
    'statements IMPORT COMPLETED 0',
    'payment-instructions IMPORT COMPLETED 0',
  ]);
  // With those that the account itself has.
  const attached = await countRows(service, 'M-2', 'note', 'transaction', 'statement', 'payment_instruction');
  expect(attached).toEqual([3, 1, 3, 3]);
}, 120_000);

test('prints the numbers of the created accounts, and has nothing to do after the sign-off', async () => {
  const { wave_id: id } = await waveOf('Brittany 3');
  const numbers = (await run('waves', 'numbers', id)).stdout.trim().split('\n');
  expect(numbers.map((line) => JSON.parse(line).external_account_number)).toEqual(['M-1', 'M-2', 'M-3', 'M-4']);
  const csv = join(shell.folder, 'numbers.csv');
  expect((await run('waves', 'numbers', id, '--csv', '--output', csv)).status).toBe(0);
  expect(readFileSync(csv, 'utf8')).toMatch(
    /^\uFEFF"external_account_number";"service_account_number"\r\n"M-1";"[^"]+"\r\n/,
  );

  expect(await run('waves', 'show', id, '--watch')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('signs the wave off'),
  });
  expect((await operator.json('waves', 'sign-off', id, '--reason', 'Checked.')).status).toBe('SIGNED_OFF');
  expect((await migrate(folderOfSevenKinds(), 'Brittany 3')).status).toBe(0);
  expect((await waveOf('Brittany 3')).jobs).toHaveLength(9);
});

test('stops at faulty accounts, and continues with corrected and excluded ones', async () => {
  const faulty = { ...waveAccount('F-2'), account_type: 'CASTLE' };
  const note = (external: string) => ({ external_account_number: external, notes: [{ body: 'Moved.' }] });
  const folder = folderOf('faulty', {
    'accounts.ndjson': [waveAccount('F-1'), faulty, { ...waveAccount('F-3'), account_type: 'TOWER' }],
    'notes.ndjson': [note('F-1'), note('F-3'), note('F-4')],
  });
  const stopped = await migrate(folder, 'Faulty');
  expect(stopped).toMatchObject({ status: 4, stderr: expect.stringContaining('2 invalid.') });
  expect(stopped.stdout).toMatch(/2 +invalid_choice/);
  const wave = await waveOf('Faulty');
  const [, left] = /(jobs results \S+ --outcome failed --resend) --output accounts-left/.exec(stopped.stderr)!;
  const records = (await run(...left!.split(' '))).stdout.trim().split('\n');
  expect(records).toHaveLength(2);

  // The corrected record alone is in the folder now; the other one is excluded.
  writeFileSync(join(folder, 'accounts.ndjson'), ndjson([{ ...JSON.parse(records[0]!), account_type: 'DOMESTIC' }]));
  expect(await migrate(folder, 'Faulty')).toMatchObject({ status: 4, stderr: expect.stringContaining('1 invalid.') });
  const excluded = await run('waves', 'exclude', wave.wave_id, 'F-3', '--reason', 'Follows in wave 4.');
  expect(excluded.stdout).toBe('1 record excluded.\n');

  // The note of the excluded account does not block the wave; that of an unknown account does.
  const attached = await migrate(folder, 'Faulty');
  expect(attached).toMatchObject({ status: 4, stderr: expect.stringContaining('1 line has failed.') });
  const lines = await run('waves', 'exclude', wave.wave_id, '--faulty', '--reason', 'Another supplier.', '--json');
  expect(JSON.parse(lines.stdout)).toEqual({ excluded: 1 });
  const done = await migrate(folder, 'Faulty');
  expect(done).toMatchObject({ status: 0, stdout: expect.stringContaining('2 accounts created, 2 excluded.') });
}, 120_000);

test('excludes accounts that fail the rehearsal', async () => {
  const account = businessAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'R-2' }, 70_002);
  delete account.payment_preferences;
  const folder = folderOf('rehearsal', { 'accounts.ndjson': [waveAccount('R-1'), account] });
  const stopped = await migrate(folder, 'Rehearsal');
  const failed = { status: 4, stderr: expect.stringContaining('1 account failed the rehearsal. Correct') };
  expect(stopped).toMatchObject(failed);
  // Another rehearsal of the same accounts would have the same result.
  expect(await migrate(folder, 'Rehearsal')).toMatchObject(failed);
  const { wave_id: id, jobs } = await waveOf('Rehearsal');
  expect(jobs.filter(({ goal }: { goal: string }) => goal === 'REHEARSE')).toHaveLength(1);
  expect((await run('waves', 'exclude', id, '--faulty', '--reason', 'No contract.')).stdout).toBe(
    '1 record excluded.\n',
  );
  const done = await migrate(folder, 'Rehearsal');
  expect(done).toMatchObject({ status: 0, stdout: expect.stringContaining('1 account created, 1 excluded.') });
}, 60_000);

test('rehearses again after a business was imported, or an account was staged again', async () => {
  const account = businessAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'B-2' }, 70_003);
  delete account.payment_preferences;
  const accounts = [waveAccount('B-1'), account];
  const folder = folderOf('again', { 'accounts.ndjson': accounts });
  expect((await migrate(folder, 'Again', '--requires-approval')).stderr).toContain('failed the rehearsal. Correct');
  writeFileSync(join(folder, 'accounts.ndjson'), ndjson([{ ...account, sales_channel: 'TELESALES' }]));
  expect((await migrate(folder, 'Again')).stderr).toContain('failed the rehearsal. Correct');
  writeFileSync(join(folder, 'businesses.ndjson'), ndjson([businessRequest({}, 70_003)]));
  expect((await migrate(folder, 'Again')).stderr).toContain('No approval was requested.');
  const { jobs } = await waveOf('Again');
  expect(jobs.filter(({ goal }: { goal: string }) => goal === 'REHEARSE')).toHaveLength(3);
}, 120_000);

test('an account that the creation rejects is corrected, rehearsed, approved and created', async () => {
  const account = businessAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'C-2' }, 31);
  delete account.payment_preferences;
  const folder = folderOf('rejected', {
    'businesses.ndjson': [businessRequest({}, 31)],
    'accounts.ndjson': [waveAccount('C-1'), account],
  });
  const approvers = [await operatorKey(service, 'third'), await operatorKey(service, 'fourth')] as const;
  const approve = async (waveId: string) => {
    expect(await decide('request-approval', waveId, approvers[0])).toMatchObject({
      status: 200,
      body: { wave_id: waveId },
    });
    expect(await decide('approve', waveId, approvers[1])).toMatchObject({ status: 200, body: { wave_id: waveId } });
  };
  expect(await migrate(folder, 'Rejected', '--requires-approval')).toMatchObject({
    status: 4,
    stderr: expect.stringContaining('No approval was requested.'),
  });
  const { wave_id: id } = await waveOf('Rejected');
  await approve(id);
  await service.database.pool.query("update business_contract set identifier = 'GONE' where identifier = 'FRAME-31'");
  const stopped = await migrate(folder, 'Rejected', '--json');
  expect(stopped).toMatchObject({ status: 4, stderr: expect.stringContaining('1 rejected.') });
  expect(JSON.parse(stopped.stdout)).toMatchObject({ status: 'CREATED', counts: { created: 1, rejected: 1 } });

  writeFileSync(join(folder, 'accounts.ndjson'), ndjson([waveAccount('C-2')]));
  expect(await migrate(folder, 'Rejected')).toMatchObject({
    status: 4,
    stderr: expect.stringContaining('1 account changed since the approval.'),
  });
  await approve(id);
  const done = await migrate(folder, 'Rejected');
  expect(done).toMatchObject({ status: 0, stdout: expect.stringContaining('2 accounts created, 0 excluded.') });
  // Each creation has been compared.
  expect(done.stdout).toContain('The last of 2 creations: 1 account with');
  const { rows } = await service.database.pool.query(
    `select count(*)::integer as count from reconciliation r join import_job j on j.id = r.import_job_id where j.wave_id = $1`,
    [id],
  );
  expect(rows[0].count).toBe(2);
}, 120_000);

/** Moments of a changing request: before the service receives it, and before the command receives the response. */
type Moment = `${'before' | 'after'} ${string}`;

/** Runs a command through a proxy that kills it at the first changing request at which it was not killed before. */
async function runAndKill(args: readonly string[], killed: Set<Moment>) {
  let child: ChildProcess | undefined;
  const isKilledAt = (moment: Moment) => {
    const isNew = child?.killed === false && !killed.has(moment);
    if (isNew) killed.add(moment);
    return isNew && child!.kill('SIGKILL');
  };
  const proxy = await startAnswering(async (received, body) => {
    const { method, url } = received;
    const isChange = method !== 'GET' && url !== '/graphql/';
    const request = `${method} ${url} ${createHash('sha256').update(body).digest('hex')}`;
    if (isChange && isKilledAt(`before ${request}`)) return undefined;
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = received.headers;
    const answer = await fetch(service.url + url, {
      method: method!,
      headers: headers as Record<string, string>,
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    const text = await answer.text();
    return isChange && isKilledAt(`after ${request}`) ? undefined : { status: answer.status, body: text };
  });
  const environment = { GANGWAY_URL: proxy.url };
  const ran = await shell.run(args, { environment, started: (started) => (child = started) });
  proxy.stop();
  return ran;
}

test('killed at every change, the same command ends with the same wave, and no part is sent twice', async () => {
  const externals = Array.from({ length: 30 }, (_, index) => `K-${index}`);
  const folder = folderOf('killed', {
    'accounts.ndjson': externals.map(waveAccount),
    'notes.ndjson': externals.map((external) => ({ external_account_number: external, notes: [{ body: 'Moved.' }] })),
    'statements.ndjson': externals.map((external) => ({
      external_account_number: external,
      statements: [statement(external)],
    })),
  });
  const args = ['migrate', folder, '--supplier', 'SUPPLIER_FR', '--wave', 'Killed'];
  const killed = new Set<Moment>();
  let last = await runAndKill(args, killed);
  while (last.status === null) last = await runAndKill(args, killed);
  expect(last).toMatchObject({ status: 0, stderr: '' });
  // The wave; job, part and start of three files; rehearsal, creation and comparison.
  expect([...killed].filter((moment) => moment.startsWith('after '))).toHaveLength(13);
  const done = await shell.run(args);
  expect(done).toMatchObject({ status: 0, stderr: '' });
  expect(done.stdout).toContain('30 accounts created, 0 excluded.');
  expect(jobsOf(await waveOf('Killed'))).toEqual([
    'accounts STAGE COMPLETED 0',
    'accounts REHEARSE COMPLETED 0',
    'accounts CREATE COMPLETED 0',
    'notes IMPORT COMPLETED 0',
    'statements IMPORT COMPLETED 0',
  ]);
  const { rows } = await service.database.pool.query(
    `select count(*)::integer as count from import_job_part p join import_job j on j.id = p.job_id join wave w on w.id = j.wave_id where w.name = 'Killed'`,
  );
  expect(rows[0].count).toBe(3);
  // With those that the account itself has.
  expect(await countRows(service, 'K-7', 'note', 'statement')).toEqual([3, 3]);
}, 240_000);

test.each<[string, string[], number, string]>([
  ['no folder', ['nowhere'], 2, 'is not a folder'],
  ['a folder without files', ['.'], 2, 'has no file of a migration'],
  ['two files of a kind', ['twice'], 2, 'accounts.ndjson and accounts.ndjson.gz'],
  ['an unknown team', ['one', '--team', 'Nobody'], 1, 'operations_team_name'],
  [
    'a plan that ends before it begins',
    ['one', '--create-from', '2027-01-02T00:00:00Z', '--create-until', '2027-01-01T00:00:00Z'],
    1,
    'plan.create_until',
  ],
  ['a hold of weeks', ['one', '--hold-switches-hours', '721'], 2, 'from 0 to 720'],
])('refuses %s with a sentence', async (_what, [folder = '', ...more], status, sentence) => {
  folderOf('twice', { 'accounts.ndjson': [waveAccount('T-1')], 'accounts.ndjson.gz': [waveAccount('T-1')] });
  folderOf('one', { 'accounts.ndjson': [waveAccount('T-1')] });
  const ran = await migrate(join(shell.folder, folder), 'Refused', ...more);
  expect(ran).toMatchObject({ status, stderr: expect.stringContaining(sentence) });
});

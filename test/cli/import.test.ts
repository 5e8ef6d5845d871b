import type { ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, lstatSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { businessAccount, domesticAccount } from '../support/account-payload.ts';
import { runSupplierCommandHere } from '../support/command-here.ts';
import { startService, type Service } from '../support/harness.ts';
import { startAnswering, type Answer } from '../support/scripted-server.ts';
import { openSupplierShell, type SupplierShell } from '../support/supplier-shell.ts';

let service: Service;
let shell: SupplierShell;
beforeAll(async () => {
  service = await startService({ worker: true });
  shell = await openSupplierShell(service, 'SUPPLIER_FR');
}, 60_000);
afterAll(async () => {
  shell?.remove();
  await service?.stop();
});

let sequence = 0;
/** Accounts that no other test has; every twentieth has a fault. */
function accounts(count: number, { faulty = false, filler = '' } = {}): Record<string, any>[] {
  return Array.from({ length: count }, (_, index) => {
    sequence += 1;
    const account = domesticAccount(
      { import_supplier: 'SUPPLIER_FR', external_account_number: `CLI-${sequence}` },
      sequence,
    );
    const notes = filler === '' ? {} : { notes: [{ body: filler }] };
    return { ...account, ...notes, ...(faulty && index % 20 === 7 ? { account_type: 'CASTLE' } : {}) };
  });
}
const ndjson = (records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const file = (name: string) => join(shell.folder, name);
const jobIn = ({ stdout }: { stdout: string }) => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(stdout)![0];
/** The oldest Node that a package says it takes, as a number: 2212 for 22.12. */
function leastNode(folder: string): number {
  const { engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { engines?: { node?: string } };
  const [, major = '0', minor = '0'] = />= ?(\d+)(?:\.(\d+))?/.exec(engines?.node ?? '') ?? [];
  return Number(major) * 100 + Number(minor);
}
const count = async (query: string, values: unknown[] = []): Promise<number> =>
  Number((await service.database.pool.query(query, values)).rows[0].count);

test('the package needs no part of the server and tells how it is used', async () => {
  const packages = ['big.js', 'cli-table3', 'commander', 'jose', 'jsonc-parser', 'typebox'];
  expect(shell.dependencies.toSorted()).toEqual(packages);
  const installed = file('package');
  for (const name of shell.dependencies) {
    expect(leastNode(join(installed, 'node_modules', name))).toBeLessThanOrEqual(leastNode(installed));
  }
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string };
  expect(await shell.run(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
  const help = await shell.run(['import', '--help']);
  expect(help).toMatchObject({ status: 0, stderr: '' });
  expect(help.stdout).toContain('gangway import accounts.ndjson.gz --supplier ACME --goal create --canary 100');
  expect(help.stdout).not.toContain('npm run');
});

test('writes a manifest of a large file in several threads', async () => {
  const record = JSON.stringify(domesticAccount({ import_supplier: 'SUPPLIER_FR' }, 7_654_321));
  writeFileSync(file('accounts-large.ndjson'), `${record}\n`.repeat(4_000));
  const { status, stdout, stderr } = await shell.run(['manifest', 'accounts-large.ndjson']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ kinds: { accounts: { records: 4_000, customers: 8_000 } } });
});

test('writes failed records neither over the imported file nor through a link; a device is written to', async () => {
  const text = ndjson(accounts(20, { faulty: true }));
  writeFileSync(file('own.ndjson'), text);
  const args = ['import', 'own.ndjson', '--supplier', 'SUPPLIER_FR', '--goal', 'validate', '--watch', '--failures'];
  expect(await shell.run([...args, './own.ndjson'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Name another file'),
  });
  expect(readFileSync(file('own.ndjson'), 'utf8')).toBe(text);
  symlinkSync('kept.ndjson', file('link.ndjson'));
  writeFileSync(file('kept.ndjson'), 'kept');
  expect(await shell.run([...args, 'link.ndjson'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('is not a regular file'),
  });
  expect(readlinkSync(file('link.ndjson'))).toBe('kept.ndjson');
  expect(readFileSync(file('kept.ndjson'), 'utf8')).toBe('kept');
  expect((await shell.run([...args, '/dev/null', '--new'])).status).toBe(1);
  expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
});

test('canary, resume, failures, mended file: the statuses tell how far it is', async () => {
  writeFileSync(file('accounts.ndjson.gz'), gzipSync(ndjson(accounts(60, { faulty: true }))));
  const args = ['--supplier', 'SUPPLIER_FR', '--goal', 'create', '--watch', '--failures', 'left.ndjson'];
  const first = await shell.run(['import', 'accounts.ndjson.gz', ...args, '--canary', '10']);
  expect(first).toMatchObject({
    status: 4,
    stderr: expect.stringMatching(/jobs resume \S+ --watch --failures left\.ndjson;/),
  });
  expect(first.stdout).toContain('Uploaded 60 records in 1 part.');
  const job = jobIn(first);
  const second = await shell.run(['jobs', 'resume', job, '--watch', '--failures', 'left.ndjson']);
  expect(second).toMatchObject({ status: 1, stderr: expect.stringContaining('3 records failed') });
  expect(second.stdout).toContain('57 succeeded, 3 failed, 0 to go of 60');
  expect(second.stdout).toMatch(/invalid_choice +account_type/);
  const left = readFileSync(file('left.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(left.map(({ _errors: errors }) => errors[0].attr)).toEqual(['account_type', 'account_type', 'account_type']);
  expect(lstatSync(file('left.ndjson')).mode & 0o777).toBe(0o600);
  writeFileSync(file('mended.ndjson'), ndjson(left.map((record) => ({ ...record, account_type: 'DOMESTIC' }))));
  const mended = await shell.run(['import', 'mended.ndjson', ...args]);
  expect(mended).toMatchObject({ status: 0, stderr: '' });
  expect(mended.stdout).toContain('No record failed; left.ndjson was not written.');
  expect(existsSync(file('left.ndjson'))).toBe(true);
  expect(await count('select count(*) from account')).toBe(60);
  // The same again finds its job; another goal would be another job.
  const again = await shell.run(['import', 'mended.ndjson', ...args]);
  expect(again).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`Job ${jobIn(mended)} already contains this file`),
  });
  writeFileSync(file('mended.ndjson'), ndjson(accounts(1)));
  expect(await shell.run(['import', 'mended.ndjson', ...args])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('has changed since'),
  });
});

/** Sends a request on to the service. */
async function forward(request: IncomingMessage, body: Buffer, changed: Record<string, string> = {}): Promise<Answer> {
  const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
  const answer = await fetch(service.url + request.url, {
    method: request.method!,
    headers: { ...(headers as Record<string, string>), ...changed },
    ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
  });
  return { status: answer.status, body: await answer.text() };
}

test('finds the two faults of the example in the README', async () => {
  const example = join(import.meta.dirname, '../../examples/accounts.ndjson');
  writeFileSync(file('example.ndjson'), readFileSync(example));
  const ran = await shell.run([
    'import',
    'example.ndjson',
    '--supplier',
    'SUPPLIER_FR',
    '--goal',
    'validate',
    '--watch',
  ]);
  expect(ran).toMatchObject({ status: 1, stdout: expect.stringContaining('18 succeeded, 2 failed') });
  expect(ran.stdout).toMatch(/customers\.\*\.email/);
  expect(ran.stdout).toMatch(/supply_points\.\*\.supply_type/);
});

test('imports all records of a file that was compressed in several frames', async () => {
  const frames = [30, 70].map((records) => zstdCompressSync(ndjson(accounts(records))));
  writeFileSync(file('frames.ndjson.zst'), Buffer.concat(frames));
  const ran = await shell.run([
    'import',
    'frames.ndjson.zst',
    '--supplier',
    'SUPPLIER_FR',
    '--goal',
    'stage',
    '--watch',
  ]);
  expect(ran).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('100 succeeded, 0 failed') });
});

test('names the line of the file in causes and results of a file that is uploaded in two parts', async () => {
  const long = (name: string) => `{"${name}":"${'x'.repeat(1_000_000)}"}`;
  const before = Array.from({ length: 17 }, () => long('a'));
  writeFileSync(
    file('parts.ndjson'),
    ['\uFEFF{}', '', ...before, '', 'broken', long('a'), `{"note":"${'é'.repeat(600_000)}"}`].join('\r\n'),
  );
  const args = [
    '--supplier',
    'SUPPLIER_FR',
    '--kind',
    'notes',
    '--goal',
    'validate',
    '--watch',
    '--failures',
    'parts-left.ndjson',
  ];
  const ran = await shell.run(['import', 'parts.ndjson', ...args]);
  expect(ran).toMatchObject({ status: 1, stdout: expect.stringContaining('Uploaded 21 records in 2 parts.') });
  expect(ran.stdout).toMatch(/parse_error .*\b21\b/);
  expect(ran.stdout).toMatch(/request_too_large .*\b23\b/);
  const lines = readFileSync(file('parts-left.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line)._line);
  expect(lines).toEqual([1, ...before.map((_line, index) => index + 3), 21, 22, 23]);
});

test('does not start a job whose stored part differs from the file', async () => {
  writeFileSync(file('less.ndjson'), ndjson(accounts(2)));
  const shortening = await startAnswering(async (request, body) => {
    const isPart = request.method === 'PUT';
    const headers: Record<string, string> = isPart ? { 'content-encoding': 'identity' } : {};
    return forward(request, isPart ? Buffer.from('{}\n') : body, headers);
  });
  const ran = await shell.run(['import', 'less.ndjson', '--supplier', 'SUPPLIER_FR', '--goal', 'stage'], {
    environment: { GANGWAY_URL: shortening.url },
  });
  shortening.stop();
  expect(ran).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^Part 1 has 2 records in \d+ bytes, but the service stored 1 records in 3 bytes/),
  });
  expect((await shell.run(['jobs', 'show', jobIn(ran)])).stdout).toContain('OPEN');
});

test('a job is made once though its answer was lost on the way', async () => {
  writeFileSync(file('lost.ndjson'), ndjson(accounts(1)));
  let hasForgotten = false;
  const forgetful = await startAnswering(async (request, body) => {
    const answer = await forward(request, body);
    const isForgotten = !hasForgotten && request.method === 'POST' && request.url === '/v1/data-import/import-jobs/';
    hasForgotten ||= isForgotten;
    return isForgotten ? undefined : answer;
  });
  const before = await count('select count(*) from import_job');
  const made = await shell.run(
    ['import', 'lost.ndjson', '--supplier', 'SUPPLIER_FR', '--goal', 'validate', '--no-start'],
    { environment: { GANGWAY_URL: forgetful.url } },
  );
  forgetful.stop();
  expect(made).toMatchObject({ status: 0, stderr: '' });
  expect(await count('select count(*) from import_job')).toBe(before + 1);
  expect(await count('select count(*) from import_job where id = $1', [jobIn(made)])).toBe(1);
});

test('killed in the middle of the upload, the same command goes on with the same job and sends no part twice', async () => {
  writeFileSync(file('large.ndjson'), ndjson(accounts(700, { filler: 'x'.repeat(60_000) })));
  const args = ['import', 'large.ndjson', '--supplier', 'SUPPLIER_FR', '--goal', 'validate', '--no-start'];
  const killed = await shell.run(args, {
    // The third is read when the first has arrived.
    during: (child, stdout) => void (stdout.includes('Uploading part 3') && child.kill('SIGKILL')),
  });
  expect(killed.status).toBeNull();
  const job = jobIn(killed);
  const uploads = async () =>
    (
      await service.database.pool.query('select part, upload_id from import_job_part where job_id = $1 order by 1', [
        job,
      ])
    ).rows;
  const before = await uploads();
  expect(before.length).toBeGreaterThan(0);
  const again = await shell.run([...args, '--json']);
  expect(again).toMatchObject({ status: 0, stderr: '' });
  const view = JSON.parse(again.stdout);
  expect(view).toMatchObject({ job_id: job, status: 'OPEN' });
  expect(view.parts.reduce((sum: number, part: { lines: number }) => sum + part.lines, 0)).toBe(700);
  expect((await uploads()).slice(0, before.length)).toEqual(before);
  expect(await shell.run(['jobs', 'cancel', job])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('is canceled: CANCELLED'),
  });
});

test('a file that changes while it is uploaded is not started', async () => {
  writeFileSync(file('growing.ndjson'), ndjson(accounts(700, { filler: 'x'.repeat(60_000) })));
  let hasGrown = false;
  const grown = await shell.run(['import', 'growing.ndjson', '--supplier', 'SUPPLIER_FR', '--goal', 'validate'], {
    during: (_child, stdout) => {
      if (hasGrown || !stdout.includes('Uploading part 2')) return;
      hasGrown = true;
      appendFileSync(file('growing.ndjson'), '{"external');
    },
  });
  expect(grown).toMatchObject({ status: 2, stderr: expect.stringContaining('has changed while it was uploaded') });
  expect((await shell.run(['jobs', 'show', jobIn(grown)])).stdout).toContain('OPEN');
});

test('an option that the job was not made with is refused before anything goes on', async () => {
  writeFileSync(file('plain.ndjson'), ndjson(accounts(3)));
  const manifest = (records: number) =>
    JSON.stringify({ type: 'gangway-manifest/1', kinds: { accounts: { records } } });
  writeFileSync(file('manifest.json'), manifest(3));
  const args = ['import', 'plain.ndjson', '--supplier', 'SUPPLIER_FR', '--goal', 'create'];
  const job = jobIn(await shell.run([...args, '--no-start', '--max-per-second', '100']));
  for (const more of [
    ['--canary', '1'],
    ['--max-per-second', '5'],
    ['--team', 'Others'],
    ['--job', job, '--name', 'x'],
    ['--manifest', 'manifest.json'],
  ]) {
    expect(await shell.run([...args, ...more])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /was created with other values of (?:canary|max-per-second|operations-team-name|name|manifest)\. .*--new/,
      ),
    });
  }
  expect(JSON.parse((await shell.run(['jobs', 'show', job, '--json'])).stdout)).toMatchObject({ status: 'OPEN' });
  expect((await shell.run([...args, '--max-per-second', '100', '--watch'])).status).toBe(0);
});

test('a name in the answers does not steer the terminal', async () => {
  writeFileSync(file('named.ndjson'), ndjson(accounts(1)));
  const job = jobIn(
    await shell.run(['import', 'named.ndjson', '--supplier', 'SUPPLIER_FR', '--goal', 'validate', '--no-start']),
  );
  await service.database.pool.query('update import_job set name = $2 where id = $1', [
    job,
    'J\u001B]0;title\u0007\u202E',
  ]);
  const { stdout } = await shell.run(['jobs', 'show', job]);
  expect(stdout).toContain('"J\uFFFD]0;title\uFFFD\uFFFD"');
});

test('records come by standard input; Ctrl-C leaves the job running and says how to go on', async () => {
  const input = ndjson(accounts(40));
  let hasLeft = false;
  const leave = (child: ChildProcess) => {
    // A second Ctrl-C ends the command at once, without a word.
    if (!hasLeft) child.kill('SIGINT');
    hasLeft = true;
  };
  const left = await shell.run(
    ['import', '-', '--supplier', 'SUPPLIER_FR', '--goal', 'stage', '--watch', '--max-per-second', '10'],
    { input, during: (child, stdout) => void (stdout.includes('Started.') && leave(child)) },
  );
  expect(left).toMatchObject({
    status: 130,
    stderr: expect.stringMatching(/continues. Follow it: gangway jobs show .* --watch/),
  });
  const job = jobIn(left);
  expect(await shell.run(['jobs', 'show', job, '--watch'])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('40 succeeded'),
  });
  const listed = await shell.run(['jobs', 'list', '--json']);
  expect(JSON.parse(listed.stdout)[0]).toMatchObject({ job_id: job, status: 'COMPLETED' });
  const results = await shell.run(['jobs', 'results', job, '--outcome', 'succeeded']);
  expect(results.stdout.trim().split('\n')).toHaveLength(40);
  const staged = await shell.run(['import', '--staged', '--supplier', 'SUPPLIER_FR', '--goal', 'rehearse', '--watch']);
  expect(staged).toMatchObject({ status: 0, stdout: expect.stringContaining('40 succeeded, 0 failed') });
});

test('why staged accounts cannot be created is told without a job', async () => {
  const account = businessAccount(
    { import_supplier: 'SUPPLIER_FR', external_account_number: 'CLI-NO-CONTRACT' },
    90_001,
  );
  account.business = { ...account.business, business_contract_identifier: 'NOWHERE' };
  writeFileSync(file('business.ndjson'), ndjson([account]));
  const staged = await shell.run([
    'import',
    'business.ndjson',
    '--supplier',
    'SUPPLIER_FR',
    '--goal',
    'stage',
    '--watch',
  ]);
  expect(staged).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/warning +business_contract_not_yet_known/),
  });
  const causes = await shell.run(['jobs', 'causes', '--supplier', 'SUPPLIER_FR']);
  expect(causes).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/business_contract_not_found +business.business_contract_identifier/),
  });
  expect(await shell.run(['jobs', 'causes'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Name a job'),
  });
});

test('what was called wrongly, is refused or is not there has a status of its own and a sentence', async () => {
  writeFileSync(file('one.ndjson'), ndjson(accounts(1)));
  const one = ['import', file('one.ndjson'), '--supplier', 'SUPPLIER_FR'];
  const operator = await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation: 'Ops', name: 'cli', role: 'operator' },
  });
  const calls: [string[], number, string, Record<string, string>?][] = [
    [[...one, '--goal', 'stage'], 2, 'the API key of a supplier', { GANGWAY_API_KEY: operator.body.api_key as string }],
    [['import', '--supplier', 'SUPPLIER_FR', '--goal', 'stage'], 2, 'Name a file'],
    [one, 2, 'Specify --goal.'],
    [[...one, '--goal', 'everything'], 2, 'validate, stage, rehearse, create'],
    [[...one, '--kind', 'notes', '--goal', 'stage'], 2, 'For notes it must be one of validate, import'],
    [[...one, '--goal', 'stage', '--key', 'gwk_x'], 2, 'other users of this machine'],
    [['import', file('one.ndjson'), '--supplier', 'NOBODY', '--goal', 'stage'], 1, 'import_supplier'],
    [['jobs', 'show', '00000000-0000-7000-8000-000000000000'], 1, 'import job'],
    [[...one, '--goal', 'stage'], 2, 'No API key', { GANGWAY_API_KEY: '' }],
    [[...one, '--goal', 'stage'], 1, 'did not issue a token', { GANGWAY_API_KEY: 'gwk_wrong' }],
    [[...one, '--goal', 'stage'], 2, 'Which service', { GANGWAY_URL: '' }],
    [[...one, '--goal', 'stage'], 2, 'GANGWAY_URL is not valid. An address such as', { GANGWAY_URL: '127.0.0.1:8080' }],
    [[...one, '--goal', 'stage'], 2, 'must have no user name', { GANGWAY_URL: 'https://a:b@gangway.example' }],
    [[...one, '--goal', 'stage'], 2, 'unencrypted', { GANGWAY_URL: 'http://gangway.example' }],
    [[...one, '--goal', 'stage'], 3, 'cannot be reached', { GANGWAY_URL: 'http://127.0.0.1:9' }],
  ];
  for (const [args, status, sentence, environment = {}] of calls) {
    // Without a key the command reads standard input, which needs a separate process.
    const ran =
      environment['GANGWAY_API_KEY'] === ''
        ? await shell.run(args, { environment })
        : await runSupplierCommandHere(args, { ...shell.environment, ...environment });
    expect({ args, environment, ...ran }).toMatchObject({ status, stderr: expect.stringContaining(sentence) });
  }
});

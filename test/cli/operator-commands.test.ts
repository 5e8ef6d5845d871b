import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { commandsBelow, outputsOf } from '../../src/cli/command.ts';
import { createProgram } from '../../src/cli/program.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { runCommandHere } from '../support/command-here.ts';
import { startService, type Service } from '../support/harness.ts';
import { openOperatorShell, type OperatorShell } from '../support/operator-shell.ts';
import { inDays, switchTestOf } from '../support/switching.ts';
import { until } from '../support/until.ts';

/** Between two tries of a command whose answer may be some seconds old. */
const TRY_EVERY_MS = 250;

let service: Service;
let shell: OperatorShell;
beforeAll(async () => {
  service = await startService({ worker: true });
  shell = await openOperatorShell(service);
});
afterAll(async () => {
  shell.remove();
  await service.stop();
});

const run = (...args: string[]) => shell.run(...args);
const json = (...args: string[]) => shell.json(...args);

test('suppliers: set, list, show, by table and by JSON', async () => {
  const made = await json(
    'supplier',
    'set',
    'CLI_FR',
    '--name',
    'Acme Énergie',
    '--status',
    'Paused',
    '--document-root',
    's3://acme/',
    '--option',
    'closed_value_sets={"reason":["X"]}',
    '--reason',
    'starts in May',
  );
  expect(made).toMatchObject({
    code: 'CLI_FR',
    name: 'Acme Énergie',
    status: 'Paused',
    document_root: 's3://acme/',
    options: { closed_value_sets: { reason: ['X'] } },
    reason: 'starts in May',
  });
  expect(await json('supplier', 'set', 'CLI_FR', '--status', 'Ongoing')).toMatchObject({
    name: 'Acme Énergie',
    status: 'Ongoing',
  });
  expect((await json('supplier', 'list')).map(({ code }: any) => code)).toContain('CLI_FR');
  const { stdout } = await run('supplier', 'list');
  expect(stdout).toMatch(/^CODE +NAME +STATUS/);
  expect(stdout).toMatch(/^CLI_FR +Acme Énergie +Ongoing +s3:\/\/acme\//m);
  expect((await run('supplier', 'show', 'CLI_FR')).stdout).toContain('status: Ongoing');
});

test('teams and keys: made, listed, revoked', async () => {
  await json('team', 'set', 'North 1');
  expect((await json('team', 'list')).map(({ name }: any) => name)).toEqual(['Migration', 'North 1']);
  expect(await json('team', 'show', 'North 1')).toMatchObject({ name: 'North 1' });
  const { id, api_key: secret } = await json(
    'key',
    'create',
    '--role',
    'supplier',
    '--organisation',
    'Acme',
    '--name',
    'importer',
    '--supplier',
    'SUPPLIER_FR',
    '--reason',
    'go-live',
  );
  expect(secret).toMatch(/^gwk_/);
  expect(await json('audit', '--subject', `api-keys/${id}`)).toMatchObject([
    { action: 'api_key.created', actor: { name: 'Ops / cli' }, reason: 'go-live' },
  ]);
  expect((await run('key', 'list')).stdout).toContain(secret.slice(0, 12));
  expect((await run('key', 'revoke', id)).stdout).toContain('was revoked');
  expect(await json('key', 'revoke', id)).toMatchObject({ id, revoked_at: expect.any(String) });
});

test('addresses for events: added with a secret, listed, given another, removed', async () => {
  const { stdout: added } = await run('events', 'add', 'SUPPLIER_FR', 'https://hooks.example.com/gangway');
  expect(added).toMatch(/^Secret: whsec_\S+$/m);
  const [endpoint] = await json('events', 'list');
  expect(endpoint).toMatchObject({ import_supplier: 'SUPPLIER_FR', url: 'https://hooks.example.com/gangway' });
  expect((await run('events', 'list')).stdout).toContain('nothing delivered yet');
  expect((await json('events', 'secret', endpoint.endpoint_id, '--reason', 'lost')).secret).toMatch(/^whsec_/);
  expect((await run('events', 'remove', endpoint.endpoint_id)).stdout).toBe(
    'Deliveries to https://hooks.example.com/gangway have ended.\n',
  );
});

test('the limit: shown, set, taken away', async () => {
  expect((await run('limit', 'show')).stdout).toBe('There is no limit.\n');
  expect((await run('limit', 'set', '3', '--reason', 'slow')).stdout).toBe(
    'At most 3 accounts are created concurrently, 0 now (slow).\n',
  );
  expect(await json('limit', 'off', '--reason', 'well again')).toMatchObject({ limit: null, reason: 'well again' });
});

test('one account: skipped, unskipped, created, shown, a note of it pinned; the audit has it all', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const body = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'CLI/1' });
  await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
  expect((await run('skip', 'set', 'SUPPLIER_FR', 'CLI/1', '--reason', 'twice')).stdout).toContain('is skipped since');
  expect(await json('skip', 'unset', 'SUPPLIER_FR', 'CLI/1')).toMatchObject({ skipped_at: null });
  const created = await service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: { external_account_number: 'CLI/1', import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' },
  });
  expect(created.status).toBe(201);
  expect((await run('account', 'show', 'SUPPLIER_FR', 'CLI/1')).stdout).toContain(
    `service_account_number: ${created.body.service_account_number}`,
  );
  expect(await json('account', 'show', 'SUPPLIER_FR', 'CLI/1')).toMatchObject({
    account: { account_type: 'DOMESTIC' },
  });
  expect((await run('account', 'pin', 'SUPPLIER_FR', 'CLI/1', '0', '--until', '2037-01-31T23:00:00Z')).stdout).toBe(
    'Note 0 is pinned until 2037-01-31T23:00:00.000Z.\n',
  );
  expect(await json('account', 'unpin', 'SUPPLIER_FR', 'CLI/1', '0')).toMatchObject({ note: 0, is_pinned: false });
  const { stdout } = await run('audit', '--limit', '7');
  expect(stdout).toMatch(/^AT +WHO +ACTION +SUBJECT +REASON/);
  expect(stdout).toContain('account.read');
  expect(stdout).toMatch(/skip_mark\.set +account-import-processes\/SUPPLIER_FR\/CLI\/1\/skip +twice/);
});

test('a supply point on two accounts: listed with the command that decides, and decided', async () => {
  const tests = await switchTestOf(service);
  await tests.create('CLI-FIRST', [['99110000009901', inDays(90)]]);
  await tests.create('CLI-SECOND', [['99110000009901', inDays(90)]]);
  expect((await run('stuck', 'list', '--account', 'SUPPLIER_FR/CLI-SECOND')).stdout).toContain(
    'npm run cli -- switch decide SUPPLIER_FR CLI-SECOND --decision <GO_ON|LEAVE> --reason <why>',
  );
  const decided = await run(
    'switch',
    'decide',
    'SUPPLIER_FR',
    'CLI-SECOND',
    '--decision',
    'LEAVE',
    '--point',
    '99110000009901',
    '--reason',
    'imported twice',
  );
  expect(decided.stdout).toMatch(/99110000009901 +ELECTRICITY +REJECTED/);
  expect(
    await run('switch', 'decide', 'SUPPLIER_FR', 'CLI-SECOND', '--decision', 'GO_ON', '--reason', 'x'),
  ).toMatchObject({ status: 1, stderr: expect.stringContaining('needs this decision') });
});

test('a switch: messages sent from a file, shown, set by hand, sent again, and a message dismissed', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const body = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'CLI-SWITCH' }, 7);
  await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
  await service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: {
      external_account_number: 'CLI-SWITCH',
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: 'Migration',
    },
  });
  const file = join(shell.folder, 'messages.json');
  const message = (id: string, external: string) => ({
    message_id: id,
    import_supplier: 'SUPPLIER_FR',
    external_account_number: external,
    outcome: 'ACCEPTED',
    occurred_at: '2026-11-20T08:00:00Z',
  });
  writeFileSync(file, JSON.stringify([message('CLI-M1', 'CLI-SWITCH'), message('CLI-M2', 'CLI-NOBODY')]));
  expect((await run('switch', 'messages', file)).stdout).toMatch(/CLI-M1 +MESSAGE_STORED/);
  let shown = '';
  const show = async () => (shown = (await run('switch', 'show', 'SUPPLIER_FR', 'CLI-SWITCH')).stdout);
  await until(async () => (await show()).startsWith('IN_PROGRESS'), TRY_EVERY_MS);
  expect(shown).toMatch(/PENDING +IN_PROGRESS +message/);
  expect(
    (await run('switch', 'set', 'SUPPLIER_FR', 'CLI-SWITCH', '--status', 'REJECTED', '--reason', 'by phone')).stdout,
  ).toContain('SUPPLIER_FR CLI-SWITCH is REJECTED.');
  expect(await json('switch', 'send-again', 'SUPPLIER_FR', 'CLI-SWITCH', '--reason', 'signed')).toMatchObject({
    status: 'PENDING',
  });
  // The list is kept for some seconds.
  await until(
    async () =>
      (await run('stuck', 'list', '--account', 'SUPPLIER_FR/CLI-NOBODY')).stdout.includes(
        'npm run cli -- switch dismiss CLI-M2 --reason <why>',
      ),
    TRY_EVERY_MS,
  );
  const { stuck } = await json('stuck', 'list', '--account', 'SUPPLIER_FR/CLI-NOBODY');
  expect(await run('stuck', 'retry', stuck[0].id)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('a retry does not help'),
  });
  expect((await run('switch', 'set-aside', 'CLI-M2', '--reason', 'not ours')).stdout).toBe('CLI-M2 is dismissed.\n');
  expect(await run('switch', 'set', 'SUPPLIER_FR', 'CLI-SWITCH', '--status', 'DONE', '--reason', 'x')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('IN_PROGRESS'),
  });
  expect(await run('switch', 'messages', join(shell.folder, 'none.json'))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('ENOENT'),
  });
});

test('lists stuck work with the action to take, and retries it', async () => {
  // The list is cached for some seconds and may still contain the previous message.
  await until(async () => (await run('stuck', 'list')).stdout === 'No work is stuck.\n', TRY_EVERY_MS);
  const input = {
    creationId: '0199a000-0000-7000-8000-0000000000bb',
    importSupplier: 'SUPPLIER_FR',
    externalAccountNumber: 'CLI-PENDING',
    operationsTeam: 'Migration',
  };
  await service.database.pool.query(
    `insert into work_item (workflow_id, kind, input, start_at) values ('create-account/SUPPLIER_FR/CLI-PENDING', 'create-account', $1, now() + interval '1 hour')`,
    [input],
  );
  let listed = '';
  const list = async () => (listed = (await run('stuck', 'list', '--account', 'SUPPLIER_FR/CLI-PENDING')).stdout);
  await until(async () => (await list()).includes('CLI-PENDING'), TRY_EVERY_MS);
  const {
    stuck: [item],
  } = await json('stuck', 'list', '--account', 'SUPPLIER_FR/CLI-PENDING');
  expect(listed).toContain(`npm run cli -- stuck retry ${item.id}`);
  expect(await run('stuck', 'retry')).toMatchObject({ status: 2, stderr: expect.stringContaining('--cause <cause>') });
  expect((await run('stuck', 'retry', '--cause', 'paused')).stdout).toBe('No stuck work matches.\n');
  expect(await run('stuck', 'retry', item.id, 'bm90aGluZw')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining(`${item.id} was started`),
    stderr: expect.stringContaining('No stuck work has this id'),
  });
  await service.database.pool.query(
    `insert into work_item (workflow_id, kind, input, start_at, cause, party, failure, failing_since)
     values ('create-account/SUPPLIER_FR/CLI-PENDING-2', 'create-account', $1, now() + interval '1 hour', 'vendor_busy', 'STRIPE', 'Wait.', now() - interval '3 hours')`,
    [{ ...input, externalAccountNumber: 'CLI-PENDING-2' }],
  );
});

test('changes all stuck work that matches, after a preview, and shows the outcome', async () => {
  const filter = ['--cause', 'vendor_busy', '--supplier', 'SUPPLIER_FR', '--older-than', '2h'];
  expect(await run('stuck', 'retry', ...filter)).toMatchObject({
    status: 2,
    stdout: expect.stringMatching(/^1 item matches, .*\n.*\n *create-account\/SUPPLIER_FR\/CLI-PENDING-2/),
    stderr: expect.stringContaining('Add --yes'),
  });
  expect((await run('stuck', 'retry', '--party', 'STRIPE', '--older-than', '4h')).stdout).toBe(
    'No stuck work matches.\n',
  );
  expect(await run('stuck', 'retry', '--cause', 'x', '--older-than', '2 hours')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('for example 2h'),
  });
  const { stdout } = await run('stuck', 'retry', ...filter, '--yes', '--reason', 'Stripe is back');
  expect(stdout).toMatch(/retry +COMPLETED +1 of 1\n.*Stripe is back\n +1: done/);
  const { bulk_actions: actions } = await json('bulk', 'list');
  const [{ bulk_action_id: id }] = actions;
  expect((await run('bulk', 'list')).stdout).toContain(id);
  expect((await run('bulk', 'show', id)).stdout).toContain('1 of 1');
  expect((await run('bulk', 'results', id)).stdout).toContain('"outcome":"done"');
  expect((await run('bulk', 'cancel', id, '--reason', 'too late')).stdout).toContain('COMPLETED');
  expect((await run('bulk', 'start', 'dismiss', '--cause', 'nothing', '--reason', 'x')).stdout).toBe(
    'No stuck work matches.\n',
  );
  expect(await run('bulk', 'start', 'decide', '--reason', 'x')).toMatchObject({ status: 1 });
});

test.each<[string, string[], number, string]>([
  ['a refusal', ['supplier', 'show', 'NOBODY'], 1, 'There is no import supplier with this code.'],
  ['a refusal with places', ['supplier', 'set', 'x'.repeat(40)], 1, '  code: '],
  ['a limit of none', ['limit', 'set', '0'], 2, 'A whole number from 1 is expected'],
  ['an unknown status', ['supplier', 'set', 'A', '--status', 'Closed'], 2, 'Ongoing, Paused, Complete'],
  ['an option that is no JSON', ['supplier', 'set', 'A', '--option', 'a=b'], 2, 'is not JSON'],
  ['an unknown command', ['supplies'], 2, 'supplier'],
  ['a missing argument', ['skip', 'set', 'A'], 2, 'number'],
  ['a wrong call', ['skip', 'set', 'A'], 2, 'See: npm run cli -- skip set --help'],
  ['a command that is nothing like any', ['nonsense'], 2, 'See: npm run cli -- --help'],
  ['an address that is none', ['login', '--url', 'gangway'], 2, 'https://gangway.example'],
  [
    'a key that is refused',
    ['login', '--url', 'SERVICE', '--key-file', 'WRONG_KEY'],
    1,
    'not valid, has expired or was revoked',
  ],
  [
    'nobody there',
    ['login', '--url', 'http://127.0.0.1:9', '--key-file', 'WRONG_KEY'],
    3,
    'cannot be reached at http://127.0.0.1:9',
  ],
  ['a key for all to see', ['login', '--url', 'SERVICE', '--key', 'gwk_x'], 2, 'Use --key-file'],
  [
    'a key file that is not there',
    ['login', '--url', 'SERVICE', '--key-file', '/nowhere'],
    2,
    '/nowhere cannot be read (ENOENT)',
  ],
  [
    'a key without TLS to another machine',
    ['login', '--url', 'http://gangway.example', '--key-file', 'WRONG_KEY'],
    2,
    'add --insecure',
  ],
])('%s: the exit status tells, and the message names the next step', async (_what, args, status, sentence) => {
  const wrongKey = join(shell.folder, 'wrong-key');
  writeFileSync(wrongKey, 'gwk_wrong\n');
  const ran = await run(...args.map((arg) => (arg === 'SERVICE' ? service.url : arg === 'WRONG_KEY' ? wrongKey : arg)));
  expect(ran).toMatchObject({ status, stderr: expect.stringContaining(sentence) });
  expect(ran.stderr).not.toContain('    at ');
});

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 }).outputHelp();
  return text;
}

test('every command has help with an example', async () => {
  const all = commandsBelow(createProgram()).filter(([path]) => path !== '__complete');
  expect(all.map(([path]) => path)).toEqual(expect.arrayContaining(['login', 'supplier set', 'switch dismiss']));
  for (const [path, command] of all) {
    const help = helpOf(command);
    expect(help).toContain(`npm run -s cli -- ${path}`);
    // These print help, scripts and a manifest, not answers.
    const hasJson = !['help', 'completion', 'manifest'].includes(path);
    expect({ path, hasJson: help.includes('--json'), isDeclared: outputsOf(command).length > 0 }).toEqual({
      path,
      hasJson,
      isDeclared: hasJson,
    });
  }
});

test('help is printed with exit status 0', async () => {
  expect(await run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('Exit status: 0 done') });
  const { status, stdout } = await run('supplier', 'set', '--help');
  const [, set] = commandsBelow(createProgram()).find(([path]) => path === 'supplier set')!;
  expect({ status, stdout }).toEqual({ status: 0, stdout: helpOf(set) });
});

test('a key with a scope and an end; one that would have ended already is refused in words', async () => {
  const create = (...more: string[]) => [
    'key',
    'create',
    '--role',
    'operator',
    '--organisation',
    'Grid',
    '--name',
    'messages',
    ...more,
  ];
  const made = await json(...create('--scope', 'market_messages', '--expires', '2099-12-31'));
  expect((await json('key', 'list')).find(({ id }: { id: string }) => id === made.id)).toMatchObject({
    scope: 'market_messages',
    expires_at: '2099-12-31T00:00:00.000Z',
    last_used_at: null,
  });
  expect(await runCommandHere(create('--expires', '2020-01-01'), shell.settings())).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('expires'),
  });
});

import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { keepMarks, readKeptMarks } from '../../src/platform/numbers/keep-numbers.ts';
import { createPayloadCodec } from '../../src/platform/temporal/payload-codec.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';

const service = await startService({
  worker: true,
  settings: { CREATION_TIMEOUT_MS: '2000', TEMPORAL_PAYLOAD_KEY: randomBytes(32).toString('base64') },
});
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

/** Everything that Temporal stores of this test's runs, as text. */
async function keptByTemporal(): Promise<string> {
  const {
    workflowService,
    options: { namespace },
  } = service.gateway.client();
  const { executions } = await workflowService.listWorkflowExecutions({
    namespace,
    query: "WorkflowType = 'createAccounts'",
  });
  const histories = await Promise.all(
    executions.map(({ execution }) => workflowService.getWorkflowExecutionHistory({ namespace, execution })),
  );
  return textsIn([executions, histories]).join('\n');
}

/** All strings, at any depth; bytes as their own text, which JSON would encode in base64. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('latin1')];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

async function stageAndCreate(external: string, sequence: number, slug?: string) {
  const body = domesticAccount(
    {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: external,
      ...(slug ? { account_campaigns: [{ slug }] } : {}),
    },
    sequence,
  );
  expect(
    (await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body })).status,
  ).toBe(201);
  return service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: { import_supplier_code: 'SUPPLIER_FR', external_account_number: external, operations_team_name: 'Migration' },
  });
}

test("creates an account whose numbers appear nowhere in Temporal's data", async () => {
  const created = await stageAndCreate('SECRET-1', 1);
  expect(created.status).toBe(201);
  let kept = '';
  await until(async () => (kept = await keptByTemporal()).includes('binary/encrypted'));
  expect(kept).not.toContain('SECRET-1');
  expect(kept).not.toContain(created.body.service_account_number);
});

test('still shows operators which account a run is about', async () => {
  await service.database.pool.query(`alter table account_campaign add constraint no_poison check (slug <> 'poison')`);
  // The request ends before the account is quarantined if that takes longer than the timeout.
  expect(['account_quarantined', 'creation_pending']).toContain(
    (await stageAndCreate('SECRET-2', 2, 'poison')).body.code,
  );
  const find = () => service.call('GET', '/v1/operations/stuck/?account=SECRET-2', { token: service.operatorToken });
  await until(async () => (await find()).body.stuck.length > 0);
  expect((await find()).body.stuck).toMatchObject([
    { kind: 'create-account', accounts: [{ import_supplier: 'SUPPLIER_FR', external_account_number: 'SECRET-2' }] },
  ]);
  await service.database.pool.query('alter table account_campaign drop constraint no_poison');
});

test('decrypts data of both keys during a change, and reports a missing key or a changed byte', async () => {
  const [former, coming] = [randomBytes(32), randomBytes(32)];
  const payload = defaultPayloadConverter.toPayload({ external_account_number: 'SECRET-3' });
  const [written] = await createPayloadCodec([former]).encode([payload]);
  const read = async (keys: Buffer[], sealed = written!) =>
    defaultPayloadConverter.fromPayload((await createPayloadCodec(keys).decode([sealed]))[0]!);
  expect(await read([coming, former])).toEqual({ external_account_number: 'SECRET-3' });
  expect(await read([former])).toEqual({ external_account_number: 'SECRET-3' });
  await expect(read([coming])).rejects.toMatchObject({
    name: 'PayloadKeyMissing',
    message: expect.stringContaining('TEMPORAL_PAYLOAD_KEY'),
  });
  const changed = Buffer.from(written!.data!);
  changed[20]! ^= 1;
  await expect(read([former], { ...written!, data: changed })).rejects.toThrow('authenticate data');
  // Data from before there was a key.
  expect(await read([coming], payload)).toEqual({ external_account_number: 'SECRET-3' });
  expect((await createPayloadCodec([coming, former]).encode([payload]))[0]!.metadata!['encryption-key-id']).not.toEqual(
    written!.metadata!['encryption-key-id'],
  );
});

test('keeps the marks of numbers readable without the key, so that a changed or lost key blocks no creation', async () => {
  const client = service.gateway.client();
  await keepMarks(client, undefined, { account: 5, business: 6 });
  const {
    connection,
    options: { namespace },
  } = client;
  const keyless = new Client({ connection, namespace });
  const kept = await readKeptMarks(keyless);
  expect(kept).toMatchObject({ marks: { account: 5, business: 6 } });
  await keepMarks(keyless, kept, { account: 7, business: 8 });
  expect(await readKeptMarks(client)).toMatchObject({ marks: { account: 7, business: 8 } });
});

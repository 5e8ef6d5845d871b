import { hash } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { zstdDecompressSync } from 'node:zlib';
import { domesticAccount } from '../../support/account-payload.ts';
import { businessRequest } from '../../support/business-payload.ts';
import { startService } from '../../support/harness.ts';
import { openOperatorShell } from '../../support/operator-shell.ts';
import { message, switchTestOf } from '../../support/switching.ts';
import { until } from '../../support/until.ts';

// Plants values wherever personal data can be stored, and searches for them in every table, in Temporal and in the
// log.

const SUPPLIER = 'SUPPLIER_FR';
const lines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
const service = await startService({ worker: true, log });
afterAll(() => service.stop());
const token = await service.supplierToken([SUPPLIER]);

const operator = (method: string, path: string, body?: unknown) =>
  service.call(method, `/v1/operations/${path}`, { token: service.operatorToken, body });
const supplier = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.call(method, `/v1/data-import/${path}`, { token, body, headers });
const erase = (external: string, more: object = {}) =>
  operator('POST', 'erasures/', {
    import_supplier: SUPPLIER,
    external_account_number: external,
    reason: 'asked for',
    ...more,
  });
const stage = (payload: unknown) => supplier('POST', 'account-import-process/create-or-update/', payload);

/** An account that says `canary` in every free text. */
function canaryAccount(external: string, sequence: number) {
  const payload = domesticAccount(
    {
      import_supplier: SUPPLIER,
      external_account_number: external,
      billing_address1: 'canary billing',
      account_campaigns: [{ slug: 'spring', campaign_note: 'canary campaign' }],
      metadata: [{ key: 'k', value: { said: 'canary metadata' } }],
      notes: [{ body: 'canary note in the payload' }],
    },
    sequence,
  );
  Object.assign(payload.customers![0]!, {
    given_name: 'Canaryna',
    family_name: 'Canaryova',
    email: 'canary@example.org',
    mobile: '+33698765432',
    date_of_birth: '1951-03-17',
  });
  payload.supply_addresses![0]!.supply_address1 = 'canary street';
  return payload;
}

async function plant(external: string, sequence: number): Promise<void> {
  expect((await stage({ ...canaryAccount(external, sequence), billing_address2: 'canary before' })).status).toBe(201);
  expect((await stage(canaryAccount(external, sequence))).status).toBe(200);
  const created = await supplier('POST', 'account-import-process/process/', {
    external_account_number: external,
    import_supplier_code: SUPPLIER,
    operations_team_name: 'Migration',
  });
  expect(created.status).toBe(201);
  const account = `(select id from account where external_account_number = '${external}')`;
  const { pool } = service.database;
  // Its response, which repeats the value, is stored with its idempotency key.
  const notes = { import_supplier: SUPPLIER, external_account_number: external, notes: [{ body: 'canary by key' }] };
  expect((await supplier('POST', 'notes/create/', notes, { 'idempotency-key': external })).status).toBe(201);
  // What other operations attach, with the same value.
  await pool.query(`insert into note (account_id, position, body, created_at, fingerprint)
    values (${account}, 50, 'canary note', now(), sha256('canary note'::bytea))`);
  await pool.query(
    `insert into note_document (account_id, position, note_position, document_path) values (${account}, 50, 50, 'canary/note.pdf')`,
  );
  await pool.query(`insert into statement (account_id, position, statement_id, bill_period_from_date, bill_period_to_date, statement_path)
    values (${account}, 50, 'S-50', '2024-01-01', '2024-02-01', 'canary/bill.pdf')`);
  await pool.query(`insert into transaction (account_id, position, transaction_id, transaction_date, amount, type, reason, display_note, note, sent)
    values (${account}, 0, 'T-1', '2024-01-01', 12.5, 'CHARGE', 'canary reason', 'canary display', 'canary note',
      '{"amount": 12.5, "reason": "canary reason", "display_note": "canary display", "note": "canary note"}')`);
  await pool.query(`update account_supply_point set consent_data = '{"by": "canary"}' where account_id = ${account}`);
  await pool.query(
    `insert into account_business_detail (account_id, position, key, value) values (${account}, 50, 'k', 'canary detail')`,
  );
  await pool.query(`insert into market_message (message_id, source, import_supplier, external_account_number, outcome, occurred_at, reason, effect, effect_detail)
    values ('M-${external}', 'message', '${SUPPLIER}', '${external}', 'REJECTED', now(), 'canary said no', 'moved', 'canary moved')`);
  await pool.query(
    `update import_process set skip_reason = 'canary skip', refusal = '{"errors": ["canary"]}' where external_account_number = '${external}'`,
  );
  await pool.query(`insert into audit_entry (id, actor_name, action, subject, before, after, reason)
    values (gen_random_uuid(), 'a', 'skip_mark.set', 'account-import-processes/${SUPPLIER}/${external}/skip', '{"skip_reason": "canary before"}', '{"skip_reason": "canary after"}', 'canary why')`);
}

/** An import job with a failing line of the account that contains `canary`, and one of another account. */
async function plantJob(external: string): Promise<string> {
  const faulty = (number: string, text: string) => ({
    ...canaryAccount(number, 7),
    customers: [{ ...canaryAccount(number, 7).customers![0], email: text, family_name: text }],
    metadata: [],
    notes: [],
    billing_address1: text,
    account_campaigns: [],
    supply_addresses: [],
  });
  const body = [faulty(external, 'canary at job'), faulty('NEIGHBOUR', 'neighbour at job')]
    .map((line) => JSON.stringify(line).replaceAll(/[Cc]anary(?! at job)\w*/g, 'other'))
    .map((line, index) =>
      index === 0 ? line : line.replaceAll('1951-03-17', '1960-01-01').replaceAll('698765432', '612345678'),
    )
    // Where the number is in the wrong place.
    .concat(
      JSON.stringify([{ external_account_number: external, billing_address1: 'canary at job, in a list' }]),
      JSON.stringify({ external_account_number: [external], billing_address1: 'canary at job, beside a list' }),
    )
    .join('\n');
  return runJob('VALIDATE', body);
}

async function runJob(goal: 'VALIDATE' | 'STAGE', body: string): Promise<string> {
  const made = await supplier('POST', 'import-jobs/', { import_supplier: SUPPLIER, kind: 'accounts', goal });
  const jobId = made.body.job_id as string;
  const uploaded = await service.call('PUT', `/v1/data-import/import-jobs/${jobId}/parts/1/`, {
    token,
    body,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  expect(uploaded.status).toBeLessThan(300);
  await supplier('POST', `import-jobs/${jobId}/start/`);
  await until(async () => (await supplier('GET', `import-jobs/${jobId}/`)).body.status === 'COMPLETED');
  return jobId;
}

/** Every row of every table as text, with job pages decompressed; the tables that contain the word. */
async function tablesWith(word: string): Promise<string[]> {
  const { pool } = service.database;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`select t::text as text from "${name}" t`);
    if (rows.some(({ text }) => text.toLowerCase().includes(word))) found.push(name);
  }
  const { rows: pages } = await pool.query<{ body: Buffer }>('select body from import_job_page where body is not null');
  if (pages.some(({ body }) => zstdDecompressSync(body).toString().toLowerCase().includes(word))) found.push('pages');
  return found.sort();
}

test('erases every planted text of an account, and keeps amounts, dates and keys', async () => {
  await plant('CAN-1', 1);
  const jobId = await plantJob('CAN-1');
  const before = await tablesWith('canary');
  expect(before).toEqual(
    expect.arrayContaining([
      'account',
      'audit_entry',
      'customer',
      'import_process',
      'note',
      'pages',
      'statement',
      'transaction',
    ]),
  );

  const exported = await operator('GET', `exports/${SUPPLIER}/CAN-1/`);
  expect(exported.status).toBe(200);
  const exportedText = JSON.stringify(exported.body.tables).toLowerCase();
  for (const value of [
    'canaryna',
    'canary@example.org',
    '1951-03-17',
    'canary/bill.pdf',
    'canary said no',
    'canary before',
  ]) {
    expect(exportedText).toContain(value);
  }

  const erased = await erase('CAN-1');
  expect(erased).toMatchObject({ status: 201, body: { customer: null, external_account_number: 'CAN-1' } });
  const { sha256, ...receipt } = erased.body;
  expect(hash('sha256', JSON.stringify(receipt), 'hex')).toBe(sha256);
  const tables = receipt.tables.map(({ table }: { table: string }) => table);
  expect(tables).toEqual(
    expect.arrayContaining(['customer', 'import_job_line', 'import_job_page', 'note', 'transaction']),
  );

  for (const word of ['canary', '1951-03-17', '698765432']) expect([word, await tablesWith(word)]).toEqual([word, []]);
  expect(await tablesWith('neighbour at job')).toContain('pages');
  const { rows } = await service.database.pool.query(
    `select t.amount, t.transaction_date::text as day, s.statement_id, i.reference is not null as has_reference
    from account a join transaction t on t.account_id = a.id join statement s on s.account_id = a.id and s.position = 50
      left join payment_instruction i on i.account_id = a.id where a.external_account_number = 'CAN-1' limit 1`,
  );
  expect(rows).toEqual([{ amount: '12.5', day: '2024-01-01', statement_id: 'S-50', has_reference: true }]);
  expect((await operator('GET', `accounts/${SUPPLIER}/CAN-1/`)).status).toBe(200);
  expect((await supplier('GET', `import-jobs/${jobId}/results/?outcome=failed`)).status).toBe(200);

  // A repetition finds nothing more.
  expect((await erase('CAN-1')).body.tables).toEqual([]);
  const audit = await operator('GET', 'audit/?action=person.erased');
  expect(audit.body[1]).toMatchObject({ reason: 'asked for', after: { sha256 } });
});

test('erases one of two customers, and keeps the other with the address', async () => {
  await plant('CAN-2', 2);
  await service.database.pool.query(
    `insert into customer (account_id, position, given_name) select id, 50, 'Whoever' from account where external_account_number = 'CAN-2'`,
  );
  const alone = await operator('GET', `exports/${SUPPLIER}/CAN-2/?customer=50`);
  expect(alone.body.tables.customer).toMatchObject([{ position: 50, given_name: 'Whoever' }]);
  expect((await erase('CAN-2', { customer: 0 })).status).toBe(201);
  const { rows } = await service.database.pool.query(
    `select a.billing_address1, c.given_name from account a join customer c on c.account_id = a.id where a.external_account_number = 'CAN-2' order by c.position`,
  );
  expect(rows[0]).toEqual({ billing_address1: 'canary billing', given_name: null });
  expect(rows.at(-1)).toEqual({ billing_address1: 'canary billing', given_name: 'Whoever' });
});

test("exports and erases texts of a message that was assigned to the account, and operators' reasons about it", async () => {
  const tests = await switchTestOf(service);
  await tests.create('CAN-6', ['21000000000066']);
  const sent = [
    message('MISSPELT-6', 'ACCEPTED', { message_id: 'M-WRONG', reason: 'mallory in the message' }),
    message('CAN-6', 'REJECTED', { message_id: 'M-POINT', supply_point_identifier: '21000000000099' }),
  ];
  expect((await tests.send(...sent)).status).toBe(200);
  const order = { import_supplier: SUPPLIER, external_account_number: 'CAN-6', reason: 'mallory was misspelt' };
  expect((await tests.operate('POST', 'market-messages/M-WRONG/assign/', order)).status).toBe(200);
  await until(async () => {
    const dismissal = { reason: 'mallory has no such point' };
    return (await tests.operate('DELETE', 'market-messages/M-POINT/', dismissal)).status === 200;
  });
  const exported = JSON.stringify((await operator('GET', `exports/${SUPPLIER}/CAN-6/`)).body.tables);
  expect(exported).toContain('mallory in the message');
  expect(exported).toContain('mallory was misspelt');
  expect(exported).toContain('mallory has no such point');
  expect((await erase('CAN-6')).status).toBe(201);
  expect(await tablesWith('mallory')).toEqual([]);
});

test.each([
  ['Entreprise individuelle', 'erased', 'erased', 71],
  ['micro-entreprise', 'erased', 'erased', 72],
  ['SAS', 'Fournil Dupont', 'Dupont', 73],
])('replaces the name and details of a business of type %s by %s and %s', async (type, name, detail, sequence) => {
  const request = businessRequest(
    { business_type: type, company_name: 'Fournil Dupont', details: [{ key: 'owner', value: 'Dupont' }] },
    sequence,
  );
  expect((await supplier('POST', 'business/', request)).status).toBe(201);
  const external = `CAN-${sequence}`;
  await plant(external, 20 + sequence);
  const { pool } = service.database;
  await pool.query(
    `update account set business_contract_id = (select id from business_contract where identifier = $1) where external_account_number = $2`,
    [`FRAME-${sequence}`, external],
  );
  expect((await erase(external)).status).toBe(201);
  const { rows } = await pool.query(
    `select b.company_name as name, d.value as detail from business b join business_detail d on d.business_id = b.id where b.external_business_identifier = $1`,
    [request.external_business_identifier],
  );
  expect(rows).toEqual([{ name, detail }]);
});

test('erases the names of unknown members from the lines and causes of jobs', async () => {
  await runJob('STAGE', JSON.stringify({ ...canaryAccount('CAN-9', 9), mallory_member: 1, mallory_field: 1 }));
  expect(await tablesWith('mallory_')).toEqual(['import_job_cause', 'import_job_line', 'pages']);
  expect((await erase('CAN-9')).status).toBe(201);
  expect(await tablesWith('mallory_')).toEqual([]);
  const { rows } = await service.database.pool.query(
    `select place from import_job_cause where code = 'unknown_member' and place not like 'erased %'`,
  );
  expect(rows).toEqual([]);
});

test('deletes an account completely that was staged and never created', async () => {
  await stage(canaryAccount('CAN-3', 3));
  expect((await erase('CAN-3')).body.tables).toEqual([
    expect.objectContaining({ table: 'import_process' }),
    expect.objectContaining({ table: 'import_process_revision', columns: [] }),
    { table: 'import_process', rows: 1, columns: [] },
  ]);
  expect((await erase('CAN-3')).status).toBe(404);
});

test('exports a person by command, and erases one only with a reason', async () => {
  const shell = await openOperatorShell(service);
  try {
    await stage(canaryAccount('CAN-4', 4));
    const exported = JSON.parse((await shell.run('export-person', SUPPLIER, 'CAN-4', '--customer', '0')).stdout);
    expect(exported.tables.import_process[0].payload.customers).toMatchObject([{ given_name: 'Canaryna' }]);
    expect((await shell.run('erase', SUPPLIER, 'CAN-4')).status).toBe(2);
    const { stdout } = await shell.run('erase', SUPPLIER, 'CAN-4', '--reason', 'asked for');
    expect(stdout).toMatch(/^Erased at .*SHA-256 [0-9a-f]{64}\.$/m);
    expect(stdout).toContain('import_process_revision: 1 rows deleted');
  } finally {
    shell.remove();
  }
});

test('keeps planted values out of Temporal and the log', async () => {
  const client = service.gateway.client();
  const histories = [];
  for await (const { workflowId, runId } of client.workflow.list()) {
    histories.push(await client.workflow.getHandle(workflowId, runId).fetchHistory());
  }
  const text = JSON.stringify(histories, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
  );
  for (const place of [text, lines.join('\n')]) expect(place.toLowerCase()).not.toContain('canary');
});

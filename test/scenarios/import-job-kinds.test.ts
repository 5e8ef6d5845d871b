import { afterAll, expect, test } from '@jest/globals';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { routedLineKinds } from '../../src/import-jobs/work-off/routed-line-kind.store.ts';
import { createDocumentCheck, createSupplierDirectory } from '../../src/suppliers/index.ts';
import type { ImportJobGoal, ImportJobKind } from '../../src/vocabulary/import-jobs.ts';
import { VendorUnavailable } from '../../src/vocabulary/vendor-errors.ts';
import { openDocumentStores } from '../../src/vendors/document-store/open.ts';
import { addAccounts, charge, countRows, dayFromToday, statement } from '../support/attachments.ts';
import { businessContract } from '../support/account-payload.ts';
import { businessRequest, contractsRequest } from '../support/business-payload.ts';
import { startService } from '../support/harness.ts';
import { putJob, startJob, untilJob } from '../support/run-import-job.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());

/** Runs a job of a few lines per page; returns the outcome of each line, as a word or by its code and place. */
async function outcomes(
  kind: ImportJobKind,
  lines: readonly (object | string)[],
  goal: ImportJobGoal = 'IMPORT',
): Promise<string[]> {
  const jobId = await putJob(service.database, { kind, goal, lines, linesOfPage: 3, operationsTeam: null });
  await startJob(service.gateway, jobId);
  const job = await untilJob(service.database, jobId);
  expect(job.succeeded + job.failed).toBe(lines.length);
  const { rows } = await service.database.pool.query(
    'select state, number, errors from import_job_line where job_id = $1 order by line',
    [jobId],
  );
  return rows.map(({ state, number, errors }) =>
    state === 'failed'
      ? errors.map(({ code, attr }: { code: string; attr: string }) => `${code} ${attr}`).join(', ')
      : [state, ...(number === null ? [] : [number])].join(' '),
  );
}

const notes = (external: string, ...bodies: string[]) => ({
  external_account_number: external,
  notes: bodies.map((body) => ({ body })),
});

test('notes: gives each line the result of its single call, and adds nothing on a resend', async () => {
  await addAccounts(service, ['N1', 'N2']);
  const lines = [
    notes('N2', 'b'),
    { ...notes('N1', 'a'), import_supplier: 'SUPPLIER_FR', _errors: [{ code: 'required' }], _line: 9 },
    notes('N1', 'a', 'c'),
    notes('NOBODY', 'a'),
    { ...notes('N1', 'd'), import_supplier: 'ANOTHER' },
    notes('N1', ''),
    '{"external_account_number":',
    { external_account_number: 'N1' },
  ];
  const expected = [
    'succeeded',
    'succeeded',
    'succeeded',
    'account_not_found non_field_errors',
    'invalid_choice import_supplier',
    'note_body_or_document_path_not_found notes.0.non_field_errors',
    'parse_error non_field_errors',
    'required notes',
  ];
  expect(await outcomes('notes', lines, 'VALIDATE')).toEqual(expected);
  expect(await countRows(service, 'N1', 'note')).toEqual([0]);
  for (let sent = 0; sent < 2; sent += 1) {
    expect(await outcomes('notes', lines)).toEqual(expected);
    expect(await countRows(service, 'N1', 'note')).toEqual([2]);
    expect(await countRows(service, 'N2', 'note')).toEqual([1]);
  }
});

test('transactions: recognizes known ones, and moves those outside the open period', async () => {
  await addAccounts(service, ['T1'], dayFromToday(-10));
  const transactions = (...items: object[]) => ({ external_account_number: 'T1', transactions: items });
  const lines = [
    transactions(charge('A'), charge('B', { transaction_date: dayFromToday(-30) })),
    transactions(charge('A')),
    transactions(charge('C'), charge('C')),
    transactions(charge('D', { amount: 'much' })),
  ];
  for (let sent = 0; sent < 2; sent += 1) {
    expect(await outcomes('transactions', lines)).toEqual([
      'succeeded',
      'succeeded',
      'duplicate_transaction_ids transactions.1.transaction_id',
      'invalid transactions.0.amount',
    ]);
    // One note lists the moved ones.
    expect(await countRows(service, 'T1', 'transaction', 'note')).toEqual([2, 1]);
  }
});

test('warns of known records with other content: transactions by their differences, notes by their documents', async () => {
  await addAccounts(service, ['W1']);
  const line = (members: object) => ({ external_account_number: 'W1', ...members });
  const note = { body: 'Same', created_at: '2026-01-02T03:04:05Z' };
  const jobs = [
    [
      'transactions',
      [line({ transactions: [charge('A')] }), line({ transactions: [charge('A', { amount: '5000.00' })] })],
    ],
    ['notes', [line({ notes: [note] }), line({ notes: [{ ...note, document_paths: [{ document_path: 'a.pdf' }] }] })]],
  ] as const;
  const found: unknown[] = [];
  for (const [kind, lines] of jobs) {
    const jobId = await putJob(service.database, { kind, goal: 'IMPORT', lines, operationsTeam: null });
    await startJob(service.gateway, jobId);
    expect(await untilJob(service.database, jobId)).toMatchObject({ succeeded: 2, failed: 0, warned: 1 });
    const { rows } = await service.database.pool.query(
      'select line, warnings from import_job_line where job_id = $1 and warnings is not null',
      [jobId],
    );
    found.push(...rows.map(({ line: at, warnings }) => [at, warnings[0].code, warnings[0].attr, warnings[0].detail]));
  }
  expect(found).toEqual([
    [2, 'known_with_other_content', 'transactions.0', expect.stringContaining('It differs in: amount.')],
    [2, 'known_with_other_content', 'notes.0.document_paths', expect.stringContaining('1 of its documents')],
  ]);
});

test('statements: adds none of a line that contains a known one', async () => {
  await addAccounts(service, ['S1']);
  const statements = (...ids: string[]) => ({
    external_account_number: 'S1',
    statements: ids.map((id) => statement(id)),
  });
  const lines = [statements('A'), statements('B', 'A'), statements('C')];
  const known = (index: number) => `historical_statement_already_exists statements.${index}.statement_id`;
  expect(await outcomes('statements', lines)).toEqual(['succeeded', known(1), 'succeeded']);
  expect(await outcomes('statements', lines)).toEqual([known(0), known(1), known(0)]);
  expect(await countRows(service, 'S1', 'statement')).toEqual([2]);
});

test('businesses and their contracts: gives the identifier to the first line, and stores nothing of failing lines', async () => {
  const { import_supplier_code: _code, ...first } = businessRequest({}, 1);
  const second = businessRequest({ business_contracts: [businessContract('FRAME-1')] }, 2);
  const other = businessRequest({ company_name: 'Another name' }, 1);
  const lines = [first, second, first, other, businessRequest({}, 3), { external_business_identifier: 'X' }];
  const taken = 'contract_with_identifier_exists business.business_contracts.0.identifier';
  const expected = async () => {
    const { rows } = await service.database.pool.query(
      'select external_business_identifier as key, service_business_id as id from business',
    );
    const idOf = (key: string) => `succeeded ${rows.find((row) => row.key === key)?.id}`;
    return [
      idOf('WORKS-1'),
      taken,
      idOf('WORKS-1'),
      'differs_from_stored business.company_name',
      idOf('WORKS-3'),
      'required business',
    ];
  };
  const lastId = async () =>
    (await service.database.pool.query('select last_value, is_called from business_id_sequence')).rows;
  const before = await lastId();
  expect((await outcomes('businesses', lines, 'VALIDATE'))[1]).toBe(taken);
  expect(await lastId()).toEqual(before);
  expect((await service.database.pool.query('select 1 from business')).rowCount).toBe(0);
  for (let sent = 0; sent < 2; sent += 1) {
    const found = await outcomes('businesses', lines);
    expect(found).toEqual(await expected());
    expect((await service.database.pool.query('select 1 from business')).rowCount).toBe(2);
  }
  expect(
    await outcomes('business-contracts', [
      contractsRequest(['ADDED-1', 'ADDED-2'], 1),
      contractsRequest(['ADDED-3', 'ADDED-1'], 3),
      contractsRequest(['ADDED-3'], 3),
      contractsRequest(['ADDED-4'], 9),
    ]),
  ).toEqual([
    'succeeded',
    'contract_with_identifier_exists business_contracts.1.identifier',
    'succeeded',
    'business_not_found non_field_errors',
  ]);
  const { rows } = await service.database.pool.query(
    `select identifier from business_contract where identifier like 'ADDED%' order by identifier`,
  );
  expect(rows.map(({ identifier }) => identifier)).toEqual(['ADDED-1', 'ADDED-2', 'ADDED-3']);
});

const kindsOver = (settings = service.settings) => {
  const log = createLog({ level: 'silent', process: 'test' });
  const suppliers = createSupplierDirectory({ database: service.database });
  const documents = createDocumentCheck({ stores: openDocumentStores(settings), deadlineMs: 1_000 });
  return routedLineKinds({ suppliers, documents, clock: systemClock, log });
};
const jobOf = (kind: ImportJobKind) => ({
  id: '019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f',
  importSupplier: 'SUPPLIER_FR',
  organisation: 'Tests',
  apiKeyId: 'key',
  kind,
  goal: 'IMPORT' as const,
  operationsTeam: null,
  waveId: null,
});
const bytesOf = (lines: readonly object[]) =>
  lines.map((line, index) => ({ line: index + 1, bytes: Buffer.from(JSON.stringify(line)) }));
const noYield = async () => {};

test('repeats a page whose transaction was rolled back without a trace of the first attempt', async () => {
  await addAccounts(service, ['R1']);
  const kind = kindsOver().notes;
  const prepared = await kind.prepare(jobOf('notes'), bytesOf([notes('R1', 'a'), notes('R1', 'a', 'b')]), noYield);
  const undone = service.database.transaction(async (em) => {
    await kind.write(em, jobOf('notes'), prepared);
    throw new Error('the worker is gone');
  });
  await expect(undone).rejects.toThrow('gone');
  expect(await countRows(service, 'R1', 'note')).toEqual([0]);
  for (let times = 0; times < 2; times += 1) {
    const written = await service.database.transaction((em) => kind.write(em, jobOf('notes'), prepared));
    expect(written.map(({ kind: outcome }) => outcome)).toEqual(['succeeded', 'succeeded']);
    expect(await countRows(service, 'R1', 'note')).toEqual([2]);
  }
});

test('looks documents up before the transaction, and delays the page while the store is unreachable', async () => {
  await addAccounts(service, ['D1']);
  const note = (path: string) => ({
    external_account_number: 'D1',
    notes: [{ document_paths: [{ document_path: path }] }],
  });
  const put = (root: string, isChecked: boolean) =>
    service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
      token: service.operatorToken,
      body: { document_root: root, options: { check_documents: isChecked } },
    });
  await put(`file://${import.meta.dirname}/`, true);
  const lines = [note('import-job-kinds.test.ts'), note('gone.pdf')];
  const here = kindsOver().notes;
  const prepared = await here.prepare(jobOf('notes'), bytesOf(lines), noYield);
  expect(prepared.map(({ key }) => key)).toEqual(['D1', 'D1']);
  expect(await service.database.transaction((em) => here.write(em, jobOf('notes'), prepared))).toMatchObject([
    { kind: 'succeeded' },
    {
      kind: 'failed',
      code: 'validation_failed',
      errors: [{ code: 'path_does_not_exist_in_file_store', attr: 'notes.0.document_paths.0.document_path' }],
    },
  ]);
  expect(await countRows(service, 'D1', 'note')).toEqual([1]);
  await put('s3://imports/boreal/', true);
  const away = kindsOver({
    ...service.settings,
    DOCUMENT_STORE_ENDPOINT: 'http://127.0.0.1:9',
    DOCUMENT_STORE_ACCESS_KEY_ID: 'key',
    DOCUMENT_STORE_SECRET_ACCESS_KEY: 'secret',
  });
  await expect(away.notes.prepare(jobOf('notes'), bytesOf(lines), noYield)).rejects.toThrow(VendorUnavailable);
  await put(`file://${import.meta.dirname}/`, false);
});

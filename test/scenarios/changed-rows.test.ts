import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { accountForm } from '../../src/reconciliation/compare/accepted-forms.schema.ts';
import { businessAccount } from '../support/account-payload.ts';
import { randomOf } from '../support/account-variants.ts';
import { runSupplierCommandHere } from '../support/command-here.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { startService } from '../support/harness.ts';
import { columnsBelowAccount, placeOfChange, seedEach } from '../support/seeded-changes.ts';

// Rows that the owner of the tables changes differ from the supplier's files, by both verifiers.

/** At least one for each column that a digest covers. */
const CHANGES = Number(process.env['SEEDED_CHANGES'] ?? 0);
const SUPPLIER = 'SUPPLIER_FR';
const SECOND_VERIFIER = join(import.meta.dirname, '../../docs/suppliers/verify-certificate.py');
const hasPython = spawnSync('python3', ['-c', 'import cryptography']).status === 0;
if (!hasPython) process.stderr.write('NOT RUN: python3 with the package `cryptography` is not installed.\n');

const { privateKey } = generateKeyPairSync('ed25519');
const service = await startService({
  worker: true,
  settings: { RECONCILIATION_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() },
});
const folder = mkdtempSync(join(tmpdir(), 'gangway-rows-'));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.stop();
});
const write = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

/** The field of each column that stores one. */
function fieldsOfColumns(): Map<string, string> {
  const { account, plans, hashedPaths } = accountForm;
  const tables = [{ table: 'account', fields: account.fields }].concat(
    plans.map(({ list, fields }) => ({ table: list.table, fields })),
  );
  return new Map(
    tables.flatMap(({ table, fields }) =>
      fields.flatMap(({ column, hashed, sql }): [string, string][] =>
        hashed === undefined || sql !== undefined ? [] : [[`${table}.${column}`, hashedPaths[hashed]!]],
      ),
    ),
  );
}

async function environmentOfSupplier(): Promise<Record<string, string>> {
  const made = await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation: randomUUID(), name: 'cli', role: 'supplier', import_suppliers: [SUPPLIER] },
  });
  return { GANGWAY_URL: service.url, GANGWAY_API_KEY: made.body.api_key };
}

/** Returns a function that reconciles, and returns the differences and what both verifiers say about a file. */
async function verifiers(file: string) {
  const keysBody = (await service.call('GET', '/v1/data-import/certificate-keys/')).body;
  const keys = write('keys.json', JSON.stringify(keysBody));
  const environment = await environmentOfSupplier();
  const run = (...args: string[]) => runSupplierCommandHere(args, environment);

  return async () => {
    const { stdout } = await run('reconcile', 'start', '--supplier', SUPPLIER, '--watch', '--json');
    const id = JSON.parse(stdout).reconciliation_id as string;
    const certificate = join(folder, 'certificate.json');
    await run('reconcile', 'certificate', id, '--output', certificate);
    const listed = (await run('reconcile', 'differences', id)).stdout;
    const differences = write('differences.ndjson', listed);
    const against = ['--key', keys, '--against', file, '--differences', differences];
    const one = await run('verify-certificate', certificate, ...against);
    const other = hasPython
      ? spawnSync('python3', [SECOND_VERIFIER, certificate, keys, file], { encoding: 'utf8' })
      : undefined;
    const said = [one, other].flatMap((verdict) =>
      verdict === undefined ? [] : [{ status: verdict.status, text: verdict.stdout + verdict.stderr }],
    );
    return { listed: readFileSync(differences, 'utf8'), said };
  };
}

test('both verifiers name the field of each changed row, and the differences name account and path', async () => {
  const fieldOf = fieldsOfColumns();
  const columns = (await columnsBelowAccount(service.database.pool)).filter(({ table, column }) =>
    fieldOf.has(`${table}.${column}`),
  );
  const payloads = Array.from({ length: Math.max(CHANGES, columns.length) }, (_, index) => {
    const { business_contract_identifier: _label, ...business } = businessAccount({}, index + 1).business!;
    return businessAccount({ import_supplier: SUPPLIER, business }, index + 1);
  });
  const externals = await createAccounts(service.database, SUPPLIER, payloads);
  expect(externals).toHaveLength(payloads.length);
  const file = write('accounts.ndjson', payloads.map((payload) => `${JSON.stringify(payload)}\n`).join(''));
  const verdicts = await verifiers(file);
  for (const { status, text } of (await verdicts()).said) {
    expect([status, text]).toEqual([0, expect.stringMatching(/agree with the files/)]);
  }

  const seeded = await seedEach(
    service.database.pool,
    externals,
    (index) => columns[index % columns.length]!,
    randomOf(1),
  );
  const changed = seeded.flatMap(({ external, column, change }, index) => {
    if (change === undefined) return [];
    const { path } = placeOfChange(payloads[index]!, column, change, false);
    return [{ external, path, field: fieldOf.get(`${column.table}.${column.column}`)! }];
  });
  expect(changed.length).toBeGreaterThan(payloads.length * 0.9);
  const { listed, said } = await verdicts();
  const found = new Set(
    listed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { key: string; path: string })
      .map(({ key, path }) => `${key} ${path}`),
  );
  expect(changed.filter(({ external, path }) => !found.has(`${external} ${path}`))).toEqual([]);
  const fields = [...new Set(changed.map(({ field }) => field))].toSorted();
  for (const { status, text } of said) {
    const named = Array.from(text.matchAll(/^ *(\S+): files (-|\w+), accepted (\w+), stored (\w+)$/gm));
    expect(status).toBe(1);
    expect(named.filter(([, , files, accepted]) => files !== '-' && files !== accepted)).toEqual([]);
    expect(named.map(([, field]) => field).toSorted()).toEqual(fields);
  }
});

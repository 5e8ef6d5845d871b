import { afterAll, expect, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import { businessAccount, domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { anything, mutate, mutation, text, toText } from '../support/hostile-values.ts';

/** More by hand: `HOSTILE_RUNS=5000 npm run -s jest -- test/http/hostile-client`. */
const RUNS = Number(process.env['HOSTILE_RUNS'] ?? 150);

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const V1 = '/v1/data-import/account-import-process';
const post = (path: string, body: string) => service.call('POST', path, { token, body, isDrawn: true });
const get = (path: string) => service.call('GET', path, { token, isDrawn: true });

test('handles generated payloads without internal errors, and creates valid accounts', async () => {
  let staged = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      async (isBusiness, mutations) => {
        const account: any = isBusiness
          ? businessAccount({ import_supplier: 'SUPPLIER_FR' }, 1)
          : domesticAccount({ import_supplier: 'SUPPLIER_FR' }, 1);
        if (isBusiness) delete account.business.business_contract_identifier;
        for (const one of mutations) mutate(account, one);
        const body = toText(account);
        const validated = await post('/v1/data-import/validate-account/', body);
        const stagedAnswer = await post(`${V1}/create-or-update/`, body);
        expect([200, 400, 413]).toContain(validated.status);
        expect([200, 201, 400, 413]).toContain(stagedAnswer.status);
        // Both use the same rules.
        expect(stagedAnswer.status < 300).toBe(validated.status === 200);
        if (stagedAnswer.status === 400) expect(stagedAnswer.body).toEqual(validated.body);
        if (stagedAnswer.status >= 300) return;
        staged += 1;
        const tried = await post(`${V1}/process/`, JSON.stringify({ ...creationOf(stagedAnswer.body), dry_run: true }));
        expect([tried.status, tried.body.code]).toEqual([
          400,
          expect.stringMatching(/^(dry_run_succeeded|import_process_failed_validation)$/),
        ]);
      },
    ),
    { numRuns: RUNS, endOnFailure: RUNS > 1_000 },
  );
  expect(staged).toBeGreaterThan(RUNS / 20);
}, 3_600_000);

function creationOf(staged: { import_supplier: string; external_account_number: string }) {
  return {
    import_supplier_code: staged.import_supplier,
    external_account_number: staged.external_account_number,
    operations_team_name: 'Migration',
  };
}

test('handles generated creation requests, paths and queries without internal errors', async () => {
  const segment = fc.oneof(
    text.map((sent) => encodeURIComponent(sent.toWellFormed())),
    fc.constantFrom('%00', '%', '%zz', '%ED%A0%80', '..%2f', 'SUPPLIER_FR'),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(
        fc.constantFrom('external_account_number', 'import_supplier_code', 'operations_team_name', 'dry_run', 'other'),
        anything,
      ),
      segment,
      segment,
      text,
      async (request, supplier, external, query) => {
        const answers = await Promise.all([
          post(`${V1}/process/`, toText({ ...request, dry_run: request['dry_run'] ?? true })),
          get(`/v1/data-import/account-transfer-status/SUPPLIER_FR/${external.slice(0, 2_000)}/`),
          get(`/v1/data-import/account-transfer-status/${supplier.slice(0, 2_000)}/${external.slice(0, 2_000)}/`),
          get(
            `/v1/data-import/all-account-import-processes/SUPPLIER_FR/?limit=1&cursor=${encodeURIComponent(query.toWellFormed()).slice(0, 2_000)}`,
          ),
          get(
            `/v1/data-import/pending-account-import-processes/SUPPLIER_FR/?cursor=${Buffer.from(query).toString('base64url').slice(0, 2_000)}`,
          ),
        ]);
        for (const answer of answers) expect([200, 400, 404, 405]).toContain(answer.status);
      },
    ),
    { numRuns: RUNS },
  );
}, 3_600_000);

import { lockImportedAccount } from '../accounts/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { hashesOfStatement } from '../reconciliation/index.ts';
import type { CreateStatementsRequest } from './create-statements.schema.ts';

export type StatementsOutcome =
  | { kind: 'created' }
  | { kind: 'account-not-found' }
  | { kind: 'known'; indexes: number[] };

/**
 * Inserts all statements of a request, or none if the account has one of the ids, in one SQL statement. The caller must hold the lock of
 * the account.
 */
const INSERT_STATEMENTS: PreparedQuery = {
  name: 'insert-statements',
  text: `
    with sent as materialized (
      select s.n::integer - 1 as index, row_number() over (partition by s.statement_id order by s.n) as copy, s.*
      from rows from (jsonb_to_recordset($2::jsonb) as (statement_id text, bill_period_from_date date, bill_period_to_date date, issued_date date,
          number text, gross_amount numeric, statement_path text), unnest($4::bytea[]))
        with ordinality as s (statement_id, from_date, to_date, issued_date, number, gross_amount, path, hashes, n)),
    known as materialized (
      select index from sent s
      where copy > 1 or exists (select from statement t where t.account_id = $1 and t.statement_id = s.statement_id)),
    written as (
      insert into statement (account_id, position, statement_id, bill_period_from_date, bill_period_to_date, issued_date, number, gross_amount, statement_path, document_root, accepted_hashes, import_job_id)
      select $1, index + (select coalesce(max(position) + 1, 0) from statement where account_id = $1), statement_id, from_date, to_date, issued_date, number, gross_amount,
        nullif(ltrim(path, '/'), ''), case when ltrim(path, '/') <> '' then $3 end, hashes, $5::uuid
      from sent where not exists (select from known) order by index)
    select index from known order by index`,
};

/** Adds all historical statements of a request to an imported account, or none. Their documents keep the current document root, even after it changes. */
export async function createStatements(
  database: WritableDatabase,
  request: CreateStatementsRequest,
  { documentRoot, importJobId }: { documentRoot: string | null; importJobId: string | null },
): Promise<StatementsOutcome> {
  return database.transaction(async (em) => {
    const account = await lockImportedAccount(em, request.import_supplier, request.external_account_number);
    if (account === undefined) return { kind: 'account-not-found' };
    const known = await run<{ index: number }>(em, INSERT_STATEMENTS, [
      account.id,
      JSON.stringify(request.statements),
      documentRoot,
      request.statements.map(hashesOfStatement),
      importJobId,
    ]);
    return known.length === 0 ? { kind: 'created' } : { kind: 'known', indexes: known.map(({ index }) => index) };
  });
}

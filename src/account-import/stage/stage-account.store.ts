import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { run, type Autocommit, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { SupplierStatus } from '../../vocabulary/supplier-status.ts';
import type { AccountPayload } from '../validate/account-payload.schema.ts';
import { mayWarnOfStagedSql, mayWarnValues } from './staging-warnings.store.ts';

export interface StagedAccount {
  account: AccountPayload;
  importSupplier: string;
  externalAccountNumber: string;
  /** The validated payload without nulls, as JSON. */
  payloadJson: string;
  /** The customers' phone numbers in E.164 form, by position in the payload, as JSON. */
  phoneNumbersJson: string;
  validatedWith: string;
  /** Root of the document paths at the time of staging. */
  documentRoot: string | null;
}

export type StagingOutcome =
  | { kind: 'staged'; revision: number; mayWarn: boolean }
  | { kind: 'not-ongoing'; status: SupplierStatus | undefined }
  | { kind: 'imported'; accountNumber: string }
  | { kind: 'skipped' };

interface StagedRow extends Record<string, unknown> {
  status: SupplierStatus | null;
  revision: number | null;
  may_warn: boolean;
}

/**
 * One statement, one autocommit: checks the supplier, writes or replaces the row, stores the hash of the revision, and counts a new account
 * (`counted` suppresses the trigger). Concurrent copies wait for the row, so exactly one of them gets revision 1.
 */
const STAGE: PreparedQuery = {
  name: 'stage-account',
  text: `
    with supplier as (select code, status from import_supplier where code = $2),
    staged as (
      insert into import_process as p (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with, document_root, counted)
      select $1, code, $3, $4::jsonb, $5::jsonb, $6, $7, $8, true from supplier where status = 'Ongoing'
      on conflict (import_supplier, external_account_number) do update
        set payload = excluded.payload, phone_numbers = excluded.phone_numbers, payload_hash = excluded.payload_hash,
          validated_with = excluded.validated_with, document_root = excluded.document_root, revision = p.revision + 1, updated_at = now(), refusal = null
        where p.imported_at is null and p.skipped_at is null
      returning id, revision),
    kept as (insert into import_process_revision (import_process_id, revision, payload_hash) select id, revision, $6 from staged),
    counted as (insert into account_count_change (import_supplier, state, change) select $2, 'known', 1 from staged where revision = 1)
    select (select status from supplier) as status, (select revision from staged) as revision,
      ${mayWarnOfStagedSql('$2', 9)} as may_warn`,
};

const WHY_NOT: PreparedQuery = {
  name: 'stage-account-why-not',
  text: `
    select p.skipped_at is not null as skipped, a.number
    from import_process p left join account a on a.import_process_id = p.id
    where p.import_supplier = $1 and p.external_account_number = $2`,
};

/**
 * Stages an account, or replaces its staged data. Writes nothing if it is rejected.
 * @returns the revision (1 if new) and whether `findStagingWarnings` may find warnings; or why nothing was written
 */
export async function stageAccount(database: Autocommit, account: StagedAccount): Promise<StagingOutcome> {
  const [row] = await run<StagedRow>(database, STAGE, [
    uuidv7(),
    account.importSupplier,
    account.externalAccountNumber,
    account.payloadJson,
    account.phoneNumbersJson,
    hash('sha256', account.payloadJson, 'buffer'),
    account.validatedWith,
    account.documentRoot,
    ...mayWarnValues(account.account),
  ]);
  if (row?.revision) return { kind: 'staged', revision: row.revision, mayWarn: row.may_warn };
  const [known] = await run<{ skipped: boolean; number: string | null }>(database, WHY_NOT, [
    account.importSupplier,
    account.externalAccountNumber,
  ]);
  if (known?.number) return { kind: 'imported', accountNumber: known.number };
  if (known?.skipped) return { kind: 'skipped' };
  return { kind: 'not-ongoing', status: row?.status ?? undefined };
}

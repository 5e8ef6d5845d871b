import { emOf, type PreparedQuery, type Queryable, run } from '../../platform/database/prepared-query.ts';
import type { AccountPayload } from '../../accounts/account-payload.schema.ts';
import { writeEventsSql } from '../../events/index.ts';
import { ImportProcess } from '../import-process.entity.ts';

/** A staged payload whose documents were accepted under a document root other than the present one. */
export interface StagedElsewhere {
  id: string;
  revision: number;
  payload: AccountPayload;
}

const FIND: PreparedQuery = {
  name: 'staged-document-find',
  text: `
    select id, revision, payload from import_process
    where import_supplier = $1 and external_account_number = $2 and imported_at is null and skipped_at is null and document_root is distinct from $3`,
};
/** Stores a refusal, with an event if its code has changed. */
const REFUSE: PreparedQuery = {
  name: 'staged-document-refuse',
  text: `
    with refused as (
      update import_process set refusal = $3::jsonb || jsonb_build_object('at', now()) where id = $1 and revision = $2 and imported_at is null
      returning import_supplier, external_account_number, old.refusal ->> 'code' as previous_code)
    ${writeEventsSql(`
    select import_supplier, null, 'import.account.refused.v1', 'accounts/' || external_account_number,
      jsonb_build_object('external_account_number', external_account_number, 'code', $3::jsonb ->> 'code') from refused
    where previous_code is distinct from $3::jsonb ->> 'code'`)}`,
};

/** Finds a staged account that can still be created but was staged under a document root other than the given one. */
export async function findStagedElsewhere(
  database: Queryable,
  importSupplier: string,
  externalAccountNumber: string,
  root: string | null,
): Promise<StagedElsewhere | undefined> {
  const [row] = await run<StagedElsewhere & Record<string, unknown>>(database, FIND, [
    importSupplier,
    externalAccountNumber,
    root,
  ]);
  return row;
}

/** Records that the documents of a staged payload exist under `root`. No effect if the account was staged again meanwhile. */
export async function acceptUnderRoot(
  database: Queryable,
  { id, revision }: StagedElsewhere,
  root: string | null,
): Promise<void> {
  await emOf(database).nativeUpdate(ImportProcess, { id, revision, importedAt: null }, { documentRoot: root });
}

/** Stores why the account was not created, for operators. */
export async function noteStagedRefusal(
  database: Queryable,
  { id, revision }: Pick<StagedElsewhere, 'id' | 'revision'>,
  refusal: object,
): Promise<void> {
  await run(database, REFUSE, [id, revision, JSON.stringify(refusal)]);
}

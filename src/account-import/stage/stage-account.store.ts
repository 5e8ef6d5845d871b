import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { run, type Autocommit, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { SupplierStatus } from '../../vocabulary/supplier-status.ts';
import type { AccountPayload } from '../../accounts/account-payload.schema.ts';
import { mayWarnSql, mayWarnValues } from './staging-warnings.store.ts';

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

/**
 * Parts of a statement that stages accounts of a supplier: checks the supplier, writes or replaces the rows, stores the hash of each
 * revision, and counts new accounts (`counted` suppresses the trigger). In key order, so that all statements lock rows in the same order.
 * Concurrent copies wait for the row, so exactly one of them gets revision 1.
 */
const STAGED = `
    supplier as (select code, status from import_supplier where code = $1),
    staged as (
      insert into import_process as p (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with, document_root, counted)
      select s.id, u.code, s.external, s.payload, s.phone_numbers, s.hash, s.validated_with, s.document_root, true
      from sent s, supplier u where u.status = 'Ongoing' order by s.external collate "C"
      on conflict (import_supplier, external_account_number) do update
        set payload = excluded.payload, phone_numbers = excluded.phone_numbers, payload_hash = excluded.payload_hash,
          validated_with = excluded.validated_with, document_root = excluded.document_root, revision = p.revision + 1, updated_at = now(), refusal = null
        where p.imported_at is null and p.skipped_at is null
      returning id, external_account_number, revision, payload_hash),
    kept as (insert into import_process_revision (import_process_id, revision, payload_hash) select id, revision, payload_hash from staged order by 1, 2),
    counted as (
      insert into account_count_change (import_supplier, state, change)
      select $1, 'known', count(*) from staged where revision = 1 having count(*) > 0)`;

/** Separates JSON strings, which cannot contain it. As items of a text array each string would be escaped and parsed twice. */
const BETWEEN = '\u001e';
const SENT_TYPES =
  '$2::uuid[], $3::text[], string_to_array($4, chr(30))::jsonb[], string_to_array($5, chr(30))::jsonb[], $6::bytea[], $7::text[], $8::text[]';
const SENT_NAMES = 'id, external, payload, phone_numbers, hash, validated_with, document_root';

/** For pages of import jobs. */
const STAGE_PAGE: PreparedQuery = {
  name: 'stage-page',
  text: `
    with sent as materialized (select * from unnest(${SENT_TYPES}) as s (${SENT_NAMES})), ${STAGED}
    select external_account_number as external, revision from staged`,
};

/** For requests: also returns whether there may be warnings. `$15` skips locked accounts, so that the others do not wait. */
const STAGE: PreparedQuery = {
  name: 'stage-accounts',
  text: `
    with asked as materialized (select * from unnest(${SENT_TYPES}, $9::text[]) with ordinality as s (${SENT_NAMES}, label, n)),
    sent as materialized (
      select * from asked s
      where not $15::boolean
        or (select p.id from import_process p where p.import_supplier = $1 and p.external_account_number = s.external) is null
        or (select p.id from import_process p where p.import_supplier = $1 and p.external_account_number = s.external for no key update skip locked) is not null),
    ${STAGED},
    warned as materialized (${mayWarnSql('$1', 10)})
    select p.external_account_number as external, p.revision, s.n in (select n from warned) as may_warn
    from staged p join sent s on s.external = p.external_account_number`,
};

const WHY_NOT: PreparedQuery = {
  name: 'stage-accounts-why-not',
  text: `
    select n.external, s.status, p.skipped_at is not null as skipped, a.number
    from unnest($2::text[]) as n (external)
      left join import_supplier s on s.code = $1
      left join import_process p on p.import_supplier = $1 and p.external_account_number = n.external
      left join account a on a.import_process_id = p.id`,
};

interface StagedRow extends Record<string, unknown> {
  external: string;
  revision: number;
}

interface WhyNot extends Record<string, unknown> {
  external: string;
  status: SupplierStatus | null;
  skipped: boolean;
  number: string | null;
}

/**
 * Stages an account, or replaces its staged data, in one autocommit. Writes nothing if it is rejected.
 * @returns the revision (1 if new) and whether `findStagingWarnings` may find warnings; or why nothing was written
 */
export async function stageAccount(database: Autocommit, account: StagedAccount): Promise<StagingOutcome> {
  const { importSupplier, externalAccountNumber: external } = account;
  const staged = await stage(database, importSupplier, [account], { skipsLocked: false });
  return staged.get(external) ?? (await findReasons(database, importSupplier, [external])).get(external)!;
}

/**
 * Stages accounts of one import supplier in one autocommit. Skips locked accounts, so that the others do not wait.
 * @param accounts without duplicate external account numbers
 * @returns the staged accounts by external account number, with whether there may be warnings; `stageAccount` reports why others are
 * missing
 */
export async function stageTogether(
  database: Autocommit,
  importSupplier: string,
  accounts: readonly StagedAccount[],
): Promise<Map<string, StagingOutcome>> {
  return stage(database, importSupplier, accounts, { skipsLocked: true });
}

/**
 * Stages a page of an import job like `stageAccount`, but does not check for warnings.
 * @param accounts of one import supplier, without duplicate external account numbers
 * @returns one outcome per account, in their order
 */
export async function stageAccounts(
  em: EntityManager,
  importSupplier: string,
  accounts: readonly StagedAccount[],
): Promise<StagingOutcome[]> {
  if (accounts.length === 0) return [];
  const staged = await run<StagedRow>(em, STAGE_PAGE, sentValues(importSupplier, accounts));
  const revisions = new Map(staged.map(({ external, revision }) => [external, revision]));
  const left = accounts.flatMap(({ externalAccountNumber: external }) => (revisions.has(external) ? [] : [external]));
  const reasons = left.length === 0 ? undefined : await findReasons(em, importSupplier, left);
  return accounts.map(({ externalAccountNumber: external }) => {
    const revision = revisions.get(external);
    return revision === undefined ? reasons!.get(external)! : { kind: 'staged', revision, mayWarn: true };
  });
}

async function stage(
  database: Autocommit,
  importSupplier: string,
  accounts: readonly StagedAccount[],
  { skipsLocked }: { skipsLocked: boolean },
): Promise<Map<string, StagingOutcome>> {
  const staged = await run<StagedRow & { may_warn: boolean }>(database, STAGE, [
    ...sentValues(importSupplier, accounts),
    ...mayWarnValues(accounts.map(({ account }) => account)),
    skipsLocked,
  ]);
  return new Map(
    staged.map(({ external, revision, may_warn: mayWarn }) => [external, { kind: 'staged', revision, mayWarn }]),
  );
}

function sentValues(importSupplier: string, accounts: readonly StagedAccount[]): unknown[] {
  return [
    importSupplier,
    accounts.map(() => uuidv7()),
    accounts.map((account) => account.externalAccountNumber),
    accounts.map((account) => account.payloadJson).join(BETWEEN),
    accounts.map((account) => account.phoneNumbersJson).join(BETWEEN),
    accounts.map((account) => hash('sha256', account.payloadJson, 'buffer')),
    accounts.map((account) => account.validatedWith),
    accounts.map((account) => account.documentRoot),
  ];
}

/** Why accounts were not staged, by external account number. */
async function findReasons(
  on: Autocommit | EntityManager,
  importSupplier: string,
  externalAccountNumbers: readonly string[],
): Promise<Map<string, StagingOutcome>> {
  const rows = await run<WhyNot>(on, WHY_NOT, [importSupplier, externalAccountNumbers]);
  return new Map(rows.map((row) => [row.external, reasonIn(row)]));
}

function reasonIn({ number, skipped, status }: WhyNot): StagingOutcome {
  if (number) return { kind: 'imported', accountNumber: number };
  if (skipped) return { kind: 'skipped' };
  return { kind: 'not-ongoing', status: status ?? undefined };
}

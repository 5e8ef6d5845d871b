import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { Account, findBeingWithdrawn, WithdrawnAccount } from '../../accounts/index.ts';
import { lockNamedContracts } from '../../businesses/index.ts';
import { writeEventsSql } from '../../events/index.ts';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { mayWarnSql } from '../../account-view/index.ts';
import { completeWork } from '../../platform/work-items/work-item.store.ts';
import { enqueueSwitches } from '../../switching/index.ts';
import type { SupplierStatus } from '../../vocabulary/supplier-status.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { ImportProcess } from '../import-process.entity.ts';
import { insertAccountParts, insertSupplyPoints, stagedSql } from './create-account-parts.store.ts';
import { decideCreation, stagedDataInvalid, type CreationEntry, type CreationOutcome } from './create-account.rules.ts';
import { noteStagedRefusal } from './staged-document.store.ts';
import { freeSlotsOf } from '../limit/creation-slot.store.ts';
import { HOLD_SWITCHES_HOURS } from '../wave/wave-members.store.ts';

/** Validates a staged payload again, for rows that were staged under other rules than the present ones. */
type Revalidate = (payload: unknown, importSupplier: string) => Promise<readonly Violation[]>;

export interface CreationContext {
  /** `validated_with` value of rows that need no revalidation, for a revision of the supplier options. */
  currentRules: (optionsRevision: number) => string;
  revalidate: Revalidate;
  /** Number of days before the supply start at which a point is switched. */
  switchLeadDays: number;
  /** The caller rolls back, so the accounts get numbers outside the sequence. */
  isRehearsal?: boolean;
  /** Also retries accounts that timed out and were not staged again. Only their own runs have enough time for it. */
  retriesTimedOut?: boolean;
}

interface LockedRow {
  id: string | null;
  revision: number | null;
  imported: boolean | null;
  skipped: boolean | null;
  validated_with: string | null;
  workflow_id: string | null;
  contract: string | null;
  status: SupplierStatus | null;
  options_revision: number | null;
  team: string | null;
  timed_out: boolean | null;
  was_withdrawn: boolean | null;
  /** The supplier creates accounts only in approved waves, and this revision of the account is in none. */
  lacks_approval: boolean | null;
}

/** Locks rows in key order, so that two batches cannot deadlock. */
const LOCK: PreparedQuery = {
  name: 'create-lock',
  text: `
    with entry as (select * from unnest($1::text[], $2::text[], $3::text[]) with ordinality as e (supplier, external, team, n)),
    locked as (
      select p.id, p.import_supplier, p.external_account_number, p.revision, p.imported_at is not null as imported, p.skipped_at is not null as skipped,
        p.withdrawn_at is not null as was_withdrawn,
        p.validated_with, p.workflow_id, p.payload -> 'business' ->> 'business_contract_identifier' as contract,
        p.refusal ->> 'code' = 'creation_failed' and p.refusal -> 'fault' ->> 'sqlstate' in ('57014', '25P04') as timed_out
      from import_process p
      where (p.import_supplier, p.external_account_number) in (select supplier, external from entry)
      order by p.import_supplier, p.external_account_number
      for no key update)
    select l.id, l.revision, l.imported, l.skipped, l.was_withdrawn, l.validated_with, l.workflow_id, l.contract, l.timed_out,
      s.status, s.options_revision, t.name as team,
      s.options -> 'creation_requires_approval' = 'true'::jsonb and m.import_process_id is null as lacks_approval
    from entry e
      left join locked l on l.import_supplier = e.supplier and l.external_account_number = e.external
      left join import_supplier s on s.code = e.supplier
      left join operations_team t on t.name = e.team
      left join wave_account m on m.import_process_id = l.id and m.approved_revision = l.revision
    order by e.n`,
};

const insertAccountsSql = (serials: string) => `
    insert into account (id, number, creation_id, import_process_id, import_supplier, external_account_number, operations_team, account_type, unknown_occupier,
      business_type, siret, business_contract_identifier, business_contract_id, billing_address1, billing_address2, billing_address3, billing_address4, billing_postcode,
      sales_channel, sales_subchannel, last_billed_to_date, switch_not_before)
    select b.account_id, account_number(b.serial), b.creation_id, p.id, p.import_supplier, p.external_account_number, b.team,
      coalesce(nullif(d.account_type, ''), 'DOMESTIC'), coalesce(d.unknown_occupier, false),
      nullif(d.business ->> 'business_type', ''), nullif(regexp_replace(d.business ->> 'siret', '[^0-9]', '', 'g'), ''),
      nullif(d.business ->> 'business_contract_identifier', ''), b.contract_id,
      nullif(d.billing_address1, ''), nullif(d.billing_address2, ''), nullif(d.billing_address3, ''), nullif(d.billing_address4, ''),
      nullif(d.billing_postcode, ''), nullif(d.sales_channel, ''), nullif(d.sales_subchannel, ''), nullif(d.last_billed_to_date, '')::date,
      (select now() + make_interval(hours => coalesce((w.options ->> 'hold_switches_hours')::integer, ${HOLD_SWITCHES_HOURS}))
        from wave_account m join wave w on w.id = m.wave_id where m.import_process_id = p.id)
    from rows from (unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[]), ${serials})
        as b (process_id, account_id, creation_id, team, contract_id, serial)
      cross join lateral (${stagedSql('b.process_id')}) p,
      jsonb_to_record(p.payload) as d (account_type text, unknown_occupier boolean, business jsonb, billing_address1 text, billing_address2 text,
        billing_address3 text, billing_address4 text, billing_postcode text, sales_channel text, sales_subchannel text, last_billed_to_date text)
    order by p.import_supplier, p.external_account_number
    returning id, number`;

const INSERT_ACCOUNTS: PreparedQuery = {
  name: 'create-accounts',
  text: insertAccountsSql('take_account_serials(cardinality($1::uuid[]))'),
};

/** Rehearsals must not use up numbers of the sequence. */
const REHEARSE_ACCOUNTS: PreparedQuery = {
  name: 'create-accounts-rehearsed',
  text: insertAccountsSql('unnest($6::bigint[])'),
};

/**
 * Marks the staged rows, writes the events, and returns the accounts that may have warnings, which `findAccountWarnings` then reads. One
 * statement, because every creation runs it.
 */
const MARK_IMPORTED: PreparedQuery = {
  name: 'create-mark-imported',
  text: `
    with done as (
      select p.id from import_process p where p.id = any($1::uuid[]) order by p.import_supplier, p.external_account_number for no key update),
    marked as (update import_process p set imported_at = now(), refusal = null from done where p.id = done.id),
    notified as (${writeEventsSql(`
      select a.import_supplier, null, 'import.account.created.v1', 'accounts/' || a.external_account_number,
        jsonb_build_object('external_account_number', a.external_account_number, 'service_account_number', a.number)
      from account a where a.id = any($2::uuid[])`)})
    select n.id from unnest($2::uuid[]) as n (id) where ${mayWarnSql('n.id')}`,
};

/**
 * Creates accounts from staged data, with all rows below them. Runs in the caller's transaction, so that a batch is all or nothing and a
 * dry run executes the same code.
 * Locks in the order import process, business contract, supply point, account. Idempotent: a second run with the same entries finds the
 * accounts of the first by their creation ids.
 * @param entries at most one per account
 * @returns one outcome per entry, in their order
 * @throws database errors; the caller distinguishes transient errors from bad data
 */
export async function createFromStaged(
  em: EntityManager,
  entries: readonly CreationEntry[],
  context: CreationContext,
): Promise<CreationOutcome[]> {
  const candidates = await lockCandidates(em, entries);
  await decide(em, candidates, context);
  if (!context.retriesTimedOut) skipTimedOut(candidates.filter(isOpen));
  await lockContracts(em, candidates.filter(isOpen));
  await refuseInvalid(em, candidates.filter(isOpen), context);
  await insertAccounts(em, candidates.filter(isOpen), context);
  await completeQuarantined(
    em,
    candidates.filter(({ outcome }) => outcome?.kind !== 'quarantined').map(({ row }) => row),
  );
  await freeSlotsOf(em, entries);
  return candidates.map(({ outcome }) => outcome as CreationOutcome);
}

/** A request during its creation. Each step completes some requests. */
interface Candidate {
  entry: CreationEntry;
  row: LockedRow;
  /** Id that the account gets if it is created. */
  accountId: string;
  /** Id of the named business contract, once it is found. */
  contractId?: string | null | undefined;
  /** Set once the request is completed. */
  outcome?: CreationOutcome | undefined;
}

function isOpen({ outcome }: Candidate): boolean {
  return outcome === undefined;
}

async function lockCandidates(em: EntityManager, entries: readonly CreationEntry[]): Promise<Candidate[]> {
  const rows = await run<LockedRow>(em, LOCK, [
    entries.map((entry) => entry.importSupplier),
    entries.map((entry) => entry.externalAccountNumber),
    entries.map((entry) => entry.operationsTeam),
  ]);
  return entries.map((entry, index) => ({ entry, row: rows[index] as LockedRow, accountId: uuidv7() }));
}

/** Completes requests that need no staged data to be decided. */
async function decide(
  em: EntityManager,
  candidates: readonly Candidate[],
  { isRehearsal = false }: CreationContext,
): Promise<void> {
  const imported = candidates.flatMap(({ row }) => (row.imported ? [row.id as string] : []));
  // A separate statement after the lock: only a new snapshot shows the commits of the previous lock holder.
  const found =
    imported.length === 0 ? [] : await em.find(Account, { importProcessId: imported }, { disableIdentityMap: true });
  const accounts = new Map(found.map((account) => [account.importProcessId, account]));
  const withdrawn = await findWithdrawn(em, candidates);
  const beingWithdrawn = await findInWithdrawals(em, candidates);
  for (const candidate of candidates) {
    const { entry, row } = candidate;
    const account = row.id === null ? undefined : accounts.get(row.id);
    const withdrawnNumber = withdrawn.get(entry.creationId);
    candidate.outcome = decideCreation(entry, {
      staged: row.id !== null,
      teamExists: row.team !== null,
      supplierStatus: row.status ?? undefined,
      skipped: row.skipped === true,
      lacksApproval: !isRehearsal && row.lacks_approval === true,
      ...(account ? { account } : {}),
      ...(withdrawnNumber ? { withdrawnNumber } : {}),
      isBeingWithdrawn: beingWithdrawn.has(candidate),
    });
  }
}

/**
 * The numbers of withdrawn accounts that these requests created, by creation id. A retried creation whose account was withdrawn meanwhile
 * must not create another one.
 */
async function findWithdrawn(
  em: EntityManager,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, string>> {
  const ids = candidates.filter(({ row }) => row.was_withdrawn).map(({ entry }) => entry.creationId);
  if (ids.length === 0) return new Map();
  const found = await em.find(WithdrawnAccount, { creationId: ids }, { disableIdentityMap: true });
  return new Map(found.map(({ creationId, number }) => [creationId, number]));
}

/** The staged accounts that a running withdrawal deleted; their creation waits for its end. */
async function findInWithdrawals(em: EntityManager, candidates: readonly Candidate[]): Promise<ReadonlySet<Candidate>> {
  const withdrawn = candidates.filter(({ row }) => row.was_withdrawn && !row.imported);
  if (withdrawn.length === 0) return new Set();
  const found = await findBeingWithdrawn(
    em,
    withdrawn.map(({ entry }) => entry),
  );
  return new Set(withdrawn.filter((_, index) => found.has(index)));
}

/** Another attempt in a batch would time out again while the caller waits. */
function skipTimedOut(open: readonly Candidate[]): void {
  for (const candidate of open) {
    if (candidate.row.timed_out && candidate.row.workflow_id !== null) candidate.outcome = { kind: 'quarantined' };
  }
}

/** Finds the named business contracts and locks them. */
async function lockContracts(em: EntityManager, open: readonly Candidate[]): Promise<void> {
  const naming = open.filter(({ row }) => row.contract);
  if (naming.length === 0) return;
  const ids = await lockNamedContracts(
    em,
    naming.map(({ entry, row }) => ({ importSupplier: entry.importSupplier, identifier: row.contract as string })),
  );
  for (const [index, candidate] of naming.entries()) candidate.contractId = ids[index];
}

async function refuseInvalid(em: EntityManager, open: readonly Candidate[], context: CreationContext): Promise<void> {
  const stale = open.filter(({ row }) => row.validated_with !== context.currentRules(row.options_revision ?? 0));
  const ids = stale.map(({ row }) => row.id as string);
  const payloads = ids.length === 0 ? [] : await em.find(ImportProcess, { id: ids }, { disableIdentityMap: true });
  for (const candidate of open) {
    const { row, contractId } = candidate;
    const violations: Violation[] = [];
    const staged = payloads.find((payload) => payload.id === row.id);
    if (staged) violations.push(...(await context.revalidate(staged.payload, staged.importSupplier)));
    if (row.contract && !contractId) {
      violations.push(violation('business_contract_not_found', ['business', 'business_contract_identifier']));
    }
    if (violations.length === 0) continue;
    candidate.outcome = stagedDataInvalid(violations);
    const refusal = { code: 'import_process_failed_validation', errors: violations.slice(0, 100) };
    await noteStagedRefusal(em, { id: row.id as string, revision: row.revision as number }, refusal);
  }
}

async function insertAccounts(em: EntityManager, open: readonly Candidate[], context: CreationContext): Promise<void> {
  if (open.length === 0) return;
  const processIds = open.map(({ row }) => row.id as string);
  const accountIds = open.map(({ accountId }) => accountId);
  await insertSupplyPoints(em, { processIds, accountIds });
  const created = await run<{ id: string; number: string }>(
    em,
    context.isRehearsal ? REHEARSE_ACCOUNTS : INSERT_ACCOUNTS,
    [
      processIds,
      accountIds,
      open.map(({ entry }) => entry.creationId),
      open.map(({ entry }) => entry.operationsTeam),
      open.map(({ contractId }) => contractId ?? null),
      ...(context.isRehearsal ? [neverGivenSerials(open.length)] : []),
    ],
  );
  await insertAccountParts(em, { processIds, accountIds });
  const warned = new Set((await run<{ id: string }>(em, MARK_IMPORTED, [processIds, accountIds])).map(({ id }) => id));
  const numbers = new Map(created.map(({ id, number }) => [id, number]));
  const numberOf = ({ accountId }: Candidate) => numbers.get(accountId) as string;
  await enqueueSwitches(
    em,
    open.map((candidate) => {
      const { importSupplier, externalAccountNumber } = candidate.entry;
      return { id: candidate.accountId, number: numberOf(candidate), importSupplier, externalAccountNumber };
    }),
    context.switchLeadDays,
  );
  for (const candidate of open) {
    const mayWarn = warned.has(candidate.accountId) ? { mayWarn: true as const } : {};
    candidate.outcome = { kind: 'created', serviceAccountNumber: numberOf(candidate), ...mayWarn };
  }
}

/** Random serials from the last 2^36 of the 2^40, which the sequence never reaches, so that two rehearsals do not collide. */
function neverGivenSerials(count: number): number[] {
  const first = 2 ** 40 - 2 ** 36 + Math.floor(Math.random() * (2 ** 36 - count));
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Ends the quarantine of accounts in the transaction that creates or refuses them. */
async function completeQuarantined(em: EntityManager, rows: readonly LockedRow[]): Promise<void> {
  const quarantined = rows.filter((row) => row.workflow_id !== null);
  if (quarantined.length === 0) return;
  await em.nativeUpdate(ImportProcess, { id: quarantined.map((row) => row.id as string) }, { workflowId: null });
  await completeWork(
    em,
    quarantined.map((row) => row.workflow_id as string),
  );
}

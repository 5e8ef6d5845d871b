import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { lockNamedContracts } from '../../businesses/index.ts';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { completeWork } from '../../platform/work-items/work-item.store.ts';
import { enqueueSwitches } from '../../switching/index.ts';
import type { SupplierStatus } from '../../vocabulary/supplier-status.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { insertAccountParts, insertSupplyPoints } from './create-account-parts.store.ts';
import { decideCreation, stagedDataInvalid, type CreationEntry, type CreationOutcome } from './create-account.rules.ts';
import { freeSlotsOf } from '../limit/creation-slot.store.ts';

/** Checks a staged payload again, for rows that were staged under other rules than today's. */
type Revalidate = (payload: unknown, importSupplier: string) => Promise<readonly Violation[]>;

export interface CreationContext {
  /** `validated_with` of rows that need no second look, by supplier options revision. */
  currentRules: (optionsRevision: number) => string;
  revalidate: Revalidate;
  /** So many days before its supply start a point is switched. */
  switchLeadDays: number;
}

interface LockedRow {
  index: number;
  id: string | null;
  imported: boolean | null;
  skipped: boolean | null;
  validated_with: string | null;
  workflow_id: string | null;
  contract: string | null;
  status: SupplierStatus | null;
  options_revision: number | null;
  team: string | null;
}

/** Rows are locked in key order, whatever the order of the requests, so that two batches cannot lock each other out. */
const LOCK: PreparedQuery = {
  name: 'create-lock',
  text: `
    with entry as (select * from unnest($1::text[], $2::text[], $3::text[]) with ordinality as e (supplier, external, team, n)),
    locked as (
      select p.id, p.import_supplier, p.external_account_number, p.imported_at is not null as imported, p.skipped_at is not null as skipped,
        p.validated_with, p.workflow_id, p.payload -> 'business' ->> 'business_contract_identifier' as contract
      from import_process p
      where (p.import_supplier, p.external_account_number) in (select supplier, external from entry)
      order by p.import_supplier, p.external_account_number
      for no key update)
    select (e.n - 1)::integer as index, l.id, l.imported, l.skipped, l.validated_with, l.workflow_id, l.contract,
      s.status, s.options_revision, t.name as team
    from entry e
      left join locked l on l.import_supplier = e.supplier and l.external_account_number = e.external
      left join import_supplier s on s.code = e.supplier
      left join operations_team t on t.name = e.team
    order by e.n`,
};

/** Read after the lock, in a statement of its own: its snapshot shows what the holder of the lock before us committed. */
const IMPORTED: PreparedQuery = {
  name: 'create-imported',
  text: 'select import_process_id, number, creation_id from account where import_process_id = any($1::uuid[])',
};

const PAYLOADS: PreparedQuery = {
  name: 'create-payloads',
  text: 'select id, import_supplier, payload from import_process where id = any($1::uuid[])',
};

const INSERT_ACCOUNTS: PreparedQuery = {
  name: 'create-accounts',
  text: `
    insert into account (id, number, creation_id, import_process_id, import_supplier, external_account_number, operations_team, account_type, unknown_occupier,
      business_type, siret, business_contract_identifier, business_contract_id, billing_address1, billing_address2, billing_address3, billing_address4, billing_postcode,
      sales_channel, sales_subchannel, last_billed_to_date)
    select b.account_id, account_number(b.serial), b.creation_id, p.id, p.import_supplier, p.external_account_number, b.team,
      coalesce(nullif(d.account_type, ''), 'DOMESTIC'), coalesce(d.unknown_occupier, false),
      nullif(d.business ->> 'business_type', ''), nullif(regexp_replace(d.business ->> 'siret', '[^0-9]', '', 'g'), ''),
      nullif(d.business ->> 'business_contract_identifier', ''), b.contract_id,
      nullif(d.billing_address1, ''), nullif(d.billing_address2, ''), nullif(d.billing_address3, ''), nullif(d.billing_address4, ''),
      nullif(d.billing_postcode, ''), nullif(d.sales_channel, ''), nullif(d.sales_subchannel, ''), nullif(d.last_billed_to_date, '')::date
    from rows from (unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[]), take_account_serials(cardinality($1::uuid[])))
        as b (process_id, account_id, creation_id, team, contract_id, serial)
      join import_process p on p.id = b.process_id,
      jsonb_to_record(p.payload) as d (account_type text, unknown_occupier boolean, business jsonb, billing_address1 text, billing_address2 text,
        billing_address3 text, billing_address4 text, billing_postcode text, sales_channel text, sales_subchannel text, last_billed_to_date text)
    order by p.import_supplier, p.external_account_number
    returning id, number`,
};

const MARK_IMPORTED: PreparedQuery = {
  name: 'create-mark-imported',
  text: `
    with done as (
      select p.id from import_process p where p.id = any($1::uuid[]) order by p.import_supplier, p.external_account_number for no key update)
    update import_process p set imported_at = now(), refusal = null from done where p.id = done.id`,
};

const STORE_REFUSAL: PreparedQuery = {
  name: 'create-store-refusal',
  text: "update import_process set refusal = $2::jsonb || jsonb_build_object('at', now()) where id = $1",
};

const END_QUARANTINE: PreparedQuery = {
  name: 'create-end-quarantine',
  text: 'update import_process set workflow_id = null where id = any($1::uuid[])',
};

/**
 * Creates accounts from staged data, with every row below them. Runs inside the caller's
 * transaction, so that a batch is all or nothing and a dry run is the same code, rolled back.
 *
 * Locks in the order import process, business contract, supply point, account. Run twice with the same entries it
 * creates nothing twice: the second run finds the first one's accounts by their creation ids.
 * @param entries at most one per account
 * @returns one outcome per entry, in their order
 * @throws what the database throws; the caller sorts faults of the environment from faults of the data
 */
export async function createFromStaged(
  em: EntityManager,
  entries: readonly CreationEntry[],
  context: CreationContext,
): Promise<CreationOutcome[]> {
  const rows = await run<LockedRow>(em, LOCK, [
    entries.map((entry) => entry.importSupplier),
    entries.map((entry) => entry.externalAccountNumber),
    entries.map((entry) => entry.operationsTeam),
  ]);
  const accounts = await importedAccounts(em, rows);
  const outcomes: (CreationOutcome | undefined)[] = entries.map((entry, index) => {
    const row = rows[index] as LockedRow;
    const account = row.id === null ? undefined : accounts.get(row.id);
    return decideCreation(entry, {
      staged: row.id !== null,
      teamExists: row.team !== null,
      supplierStatus: row.status ?? undefined,
      skipped: row.skipped === true,
      ...(account ? { account } : {}),
    });
  });
  const contracts = await lockContracts(em, entries, rows, outcomes);
  await refuseInvalid(em, rows, outcomes, contracts, context);
  await insertAccounts(em, entries, rows, outcomes, contracts, context.switchLeadDays);
  await completeQuarantined(em, rows);
  await freeSlotsOf(em, entries);
  return outcomes as CreationOutcome[];
}

async function importedAccounts(
  em: EntityManager,
  rows: readonly LockedRow[],
): Promise<Map<string, { number: string; creationId: string }>> {
  const ids = rows.filter((row) => row.imported).map((row) => row.id);
  if (ids.length === 0) return new Map();
  const found = await run<{ import_process_id: string; number: string; creation_id: string }>(em, IMPORTED, [ids]);
  return new Map(found.map((row) => [row.import_process_id, { number: row.number, creationId: row.creation_id }]));
}

/** Ids of the business contracts that open requests name, by the index of the request; a name that is not found has none. */
type NamedContracts = ReadonlyMap<number, string>;

async function lockContracts(
  em: EntityManager,
  entries: readonly CreationEntry[],
  rows: readonly LockedRow[],
  outcomes: (CreationOutcome | undefined)[],
): Promise<NamedContracts> {
  const naming = rows.filter((row) => outcomes[row.index] === undefined && row.contract);
  if (naming.length === 0) return new Map();
  const ids = await lockNamedContracts(
    em,
    naming.map((row) => ({
      importSupplier: (entries[row.index] as CreationEntry).importSupplier,
      label: row.contract as string,
    })),
  );
  return new Map(naming.flatMap((row, position) => (ids[position] ? [[row.index, ids[position]] as const] : [])));
}

async function refuseInvalid(
  em: EntityManager,
  rows: readonly LockedRow[],
  outcomes: (CreationOutcome | undefined)[],
  contracts: NamedContracts,
  context: CreationContext,
): Promise<void> {
  const open = rows.filter((row) => outcomes[row.index] === undefined);
  const stale = open.filter((row) => row.validated_with !== context.currentRules(row.options_revision ?? 0));
  const payloads =
    stale.length === 0
      ? []
      : await run<{ id: string; import_supplier: string; payload: unknown }>(em, PAYLOADS, [
          stale.map((row) => row.id),
        ]);
  for (const row of open) {
    const violations: Violation[] = [];
    const staged = payloads.find((payload) => payload.id === row.id);
    if (staged) violations.push(...(await context.revalidate(staged.payload, staged.import_supplier)));
    if (row.contract && !contracts.has(row.index)) {
      violations.push(violation('business_contract_not_found', ['business', 'business_contract_identifier']));
    }
    if (violations.length === 0) continue;
    outcomes[row.index] = stagedDataInvalid(violations);
    await run(em, STORE_REFUSAL, [
      row.id,
      JSON.stringify({ code: 'import_process_failed_validation', errors: violations.slice(0, 100) }),
    ]);
  }
}

async function insertAccounts(
  em: EntityManager,
  entries: readonly CreationEntry[],
  rows: readonly LockedRow[],
  outcomes: (CreationOutcome | undefined)[],
  contracts: NamedContracts,
  switchLeadDays: number,
): Promise<void> {
  const open = rows.filter((row) => outcomes[row.index] === undefined);
  if (open.length === 0) return;
  const processIds = open.map((row) => row.id as string);
  const accountIds = open.map(() => uuidv7());
  const accounts = { processIds, accountIds };
  await insertSupplyPoints(em, accounts);
  const created = await run<{ id: string; number: string }>(em, INSERT_ACCOUNTS, [
    processIds,
    accountIds,
    open.map((row) => entries[row.index]?.creationId),
    open.map((row) => entries[row.index]?.operationsTeam),
    open.map((row) => contracts.get(row.index) ?? null),
  ]);
  await insertAccountParts(em, accounts);
  await run(em, MARK_IMPORTED, [processIds]);
  const numbers = new Map(created.map((row) => [row.id, row.number]));
  await enqueueSwitches(
    em,
    open.map((row, position) => {
      const { importSupplier, externalAccountNumber } = entries[row.index] as CreationEntry;
      const id = accountIds[position] as string;
      return { id, number: numbers.get(id) as string, importSupplier, externalAccountNumber };
    }),
    switchLeadDays,
  );
  for (const [position, row] of open.entries()) {
    outcomes[row.index] = {
      kind: 'created',
      serviceAccountNumber: numbers.get(accountIds[position] as string) as string,
    };
  }
}

/** The work of an account that was quarantined is completed by the transaction that creates or refuses it. */
async function completeQuarantined(em: EntityManager, rows: readonly LockedRow[]): Promise<void> {
  const quarantined = rows.filter((row) => row.workflow_id !== null);
  if (quarantined.length === 0) return;
  await run(em, END_QUARANTINE, [quarantined.map((row) => row.id)]);
  await completeWork(
    em,
    quarantined.map((row) => row.workflow_id as string),
  );
}

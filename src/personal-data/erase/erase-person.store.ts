import type { EntityManager, MetadataStorage } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { ImportProcess, ImportProcessRevision, type ImportProcessTable } from '../../account-import/index.ts';
import type { AccountTable } from '../../accounts/index.ts';
import { emOf, kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import { PERSONAL } from '../../platform/database/personal-columns.ts';
import { erasedColumns, personalData } from '../catalogue.rules.ts';

/** The person whose data is erased or exported. */
export interface Person {
  importSupplier: string;
  externalAccountNumber: string;
  /** Position of the customer in the account; null for all customers. */
  customer: number | null;
}

/** The rows to which the data of a person belongs. */
export interface FoundPerson {
  processId: string;
  /** Null if the account was never created. */
  accountId: string | null;
  /** Customers of the account, or of the staged payload. */
  customers: number;
  isBeingCreated: boolean;
}

/** The erased rows and columns of a table. */
export interface ErasedTable {
  table: string;
  rows: number;
  columns: string[];
}

type Tables = ImportProcessTable & AccountTable;

/** Finds the import process and the account of a person. */
export async function findPerson(
  on: Queryable,
  { importSupplier, externalAccountNumber }: Person,
): Promise<FoundPerson | undefined> {
  return kyselyOf<Tables>(on)
    .selectFrom('import_process as p')
    .leftJoin('account as a', 'a.import_process_id', 'p.id')
    .select([
      'p.id as processId',
      'a.id as accountId',
      sql<number>`case when a.id is null then coalesce(jsonb_array_length(nullif(p.payload -> 'customers', 'null')), 0)
        else (select count(*)::integer from customer c where c.account_id = a.id) end`.as('customers'),
      sql<boolean>`a.id is null and (p.workflow_id is not null
        or exists (select from creation_slot s where s.import_process_id = p.id))`.as('isBeingCreated'),
    ])
    .where('p.import_supplier', '=', importSupplier)
    .where('p.external_account_number', '=', externalAccountNumber)
    .executeTakeFirst();
}

/** Like `findPerson`, with both rows locked in the order in which a creation locks them. */
export async function lockPerson(em: EntityManager, person: Person): Promise<FoundPerson | undefined> {
  const { importSupplier, externalAccountNumber } = person;
  const rowsIn = <Table extends 'import_process' | 'account'>(table: Table) =>
    kyselyOf<Tables>(em)
      .selectFrom<'import_process' | 'account'>(table)
      .select('id')
      .where('import_supplier', '=', importSupplier)
      .where('external_account_number', '=', externalAccountNumber);
  await rowsIn('import_process').forUpdate().execute();
  await rowsIn('account').forNoKeyUpdate().execute();
  return findPerson(em, person);
}

/** SQL that defines `who` for the catalogue. */
export function whoIs({ processId, accountId }: FoundPerson, person: Person): RawBuilder<unknown> {
  const { importSupplier, externalAccountNumber, customer } = person;
  return sql`with who as (select ${accountId}::uuid as account_id, ${processId}::uuid as process_id, ${importSupplier}::text as supplier,
    ${externalAccountNumber}::text as external, ${customer}::integer as customer)`;
}

/** The statements that erase the personal columns of each table, as the entities declare them. */
export function erasuresOf(entities: MetadataStorage) {
  const personal = new Map(
    [...entities.getAll().values()].map(({ tableName, props }) => [
      tableName,
      props.flatMap(({ comment, fieldNames }) => (comment === PERSONAL ? fieldNames : [])),
    ]),
  );
  return [...personalData].flatMap(([table, catalogued]) => {
    const erased = erasedColumns(catalogued, personal.get(table) ?? []);
    const columns = Object.keys(erased);
    if (columns.length === 0) return [];
    const assignments = Object.entries(erased).map(([column, value]) => `${column} = ${value}`);
    const isThere = Object.entries(erased).map(([column, value]) => `t.${column} is distinct from ${value}`);
    const where = `${catalogued.of} and ${catalogued.erasedWhere ?? 'true'} and (${isThere.join(' or ')})`;
    const erase = (who: RawBuilder<unknown>) =>
      sql`${who} update ${sql.table(table)} t set ${sql.raw(assignments.join(', '))} from who where ${sql.raw(where)}`;
    const count = (who: RawBuilder<unknown>) =>
      sql<{
        rows: number;
      }>`${who} select count(*)::integer as rows from ${sql.table(table)} t, who where ${sql.raw(where)}`;
    return [{ table, columns, erase, count }];
  });
}

let erasures: ReturnType<typeof erasuresOf> | undefined;

/**
 * Erases a person from the rows of an account, by the catalogue. A staged account that was never created is deleted as a whole.
 * @param em of the transaction that has locked the rows
 * @returns the tables in which something was erased, and the audit entries whose texts were
 */
export async function erasePerson(
  em: EntityManager,
  found: FoundPerson,
  person: Person,
): Promise<{ tables: ErasedTable[]; auditEntries: string[] }> {
  const done: ErasedTable[] = [];
  const who = whoIs(found, person);
  for (const { table, erase, columns } of (erasures ??= erasuresOf(em.getMetadata()))) {
    const rows = Number((await erase(who).execute(kyselyOf<Tables>(em))).numAffectedRows);
    if (rows > 0) done.push({ table, rows, columns });
  }
  if (found.accountId === null) {
    const rows = await em.nativeDelete(ImportProcessRevision, { importProcessId: found.processId });
    done.push({ table: 'import_process_revision', rows, columns: [] });
    await em.nativeDelete(ImportProcess, { id: found.processId });
    done.push({ table: 'import_process', rows: 1, columns: [] });
  }
  const { auditEntries } = await kyselyOf<Tables>(em)
    .selectNoFrom(
      sql<string[]>`erase_texts_of_audit(${person.importSupplier}, ${person.externalAccountNumber})`.as('auditEntries'),
    )
    .executeTakeFirstOrThrow();
  if (auditEntries.length > 0) {
    done.push({ table: 'audit_entry', rows: auditEntries.length, columns: ['before', 'after', 'reason'] });
  }
  return { tables: done, auditEntries };
}

/**
 * Counts what an erasure would change now: the tables, rows and columns that `erasePerson` reports, except for audit entries, which only a
 * function of their owner can find.
 */
export async function countToErase(on: Queryable, found: FoundPerson, person: Person): Promise<ErasedTable[]> {
  const tables: ErasedTable[] = [];
  const who = whoIs(found, person);
  for (const { table, count, columns } of (erasures ??= erasuresOf(emOf(on).getMetadata()))) {
    const { rows } = (await count(who).execute(kyselyOf<Tables>(on))).rows[0]!;
    if (rows > 0) tables.push({ table, rows, columns });
  }
  if (found.accountId === null) {
    const rows = await emOf(on).count(ImportProcessRevision, { importProcessId: found.processId });
    if (rows > 0) tables.push({ table: 'import_process_revision', rows, columns: [] });
    tables.push({ table: 'import_process', rows: 1, columns: [] });
  }
  return tables;
}

import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import { personalData, type CataloguedTable } from '../catalogue.rules.ts';

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

const findSql = (lock: string) => `
  select p.id as "processId", a.id as "accountId",
    case when a.id is null then coalesce(jsonb_array_length(nullif(p.payload -> 'customers', 'null')), 0)
      else (select count(*)::integer from customer c where c.account_id = a.id) end as customers,
    a.id is null and (p.workflow_id is not null or exists (select from creation_slot s where s.import_process_id = p.id)) as "isBeingCreated"
  from import_process p left join account a on a.import_process_id = p.id
  where p.import_supplier = $1 and p.external_account_number = $2 ${lock}`;
const LOCK_PROCESS: PreparedQuery = {
  name: 'person-lock-process',
  text: 'select id from import_process where import_supplier = $1 and external_account_number = $2 for update',
};
const LOCK_ACCOUNT: PreparedQuery = {
  name: 'person-lock-account',
  text: 'select id from account where import_supplier = $1 and external_account_number = $2 for no key update',
};
const FIND: PreparedQuery = { name: 'person-find', text: findSql('') };

/** Finds the import process and the account of a person. */
export async function findPerson(
  on: Queryable,
  { importSupplier, externalAccountNumber }: Person,
): Promise<FoundPerson | undefined> {
  const [row] = await run<FoundPerson & Record<string, unknown>>(on, FIND, [importSupplier, externalAccountNumber]);
  return row;
}

/** Like `findPerson`, with both rows locked in the order in which a creation locks them. */
export async function lockPerson(em: EntityManager, person: Person): Promise<FoundPerson | undefined> {
  const key = [person.importSupplier, person.externalAccountNumber];
  await run(em, LOCK_PROCESS, key);
  await run(em, LOCK_ACCOUNT, key);
  return findPerson(em, person);
}

/** SQL that defines `who` for the catalogue; `valuesOf` returns its values. */
export const WHO =
  'with who as (select $1::uuid as account_id, $2::uuid as process_id, $3::text as supplier, $4::text as external, $5::integer as customer)';

/** The values for `WHO`. */
export function valuesOf({ processId, accountId }: FoundPerson, person: Person): unknown[] {
  return [accountId, processId, person.importSupplier, person.externalAccountNumber, person.customer];
}

function eraseSql(table: string, { of, erased = {}, erasedWhere }: CataloguedTable) {
  const assignments = Object.entries(erased).map(([column, value]) => `${column} = ${value}`);
  const isThere = Object.entries(erased).map(([column, value]) => `t.${column} is distinct from ${value}`);
  const where = `where ${of} and ${erasedWhere ?? 'true'} and (${isThere.join(' or ')})`;
  return {
    table,
    columns: Object.keys(erased),
    erase: {
      name: `erase-${table}`,
      text: `${WHO}
      update ${table} t set ${assignments.join(', ')} from who ${where} returning 1`,
    },
    count: {
      name: `count-to-erase-${table}`,
      text: `${WHO}
      select count(*)::integer as rows from ${table} t, who ${where}`,
    },
  };
}

const ERASE = [...personalData].flatMap(([table, catalogued]) =>
  catalogued.erased === undefined ? [] : [eraseSql(table, catalogued)],
);

const ERASE_AUDIT: PreparedQuery = { name: 'erase-audit-texts', text: 'select erase_audit_texts($1, $2) as entries' };
const DELETE_REVISIONS: PreparedQuery = {
  name: 'erase-revisions-of-staged',
  text: 'delete from import_process_revision where import_process_id = $1 returning 1',
};
const DELETE_PROCESS: PreparedQuery = {
  name: 'erase-staged',
  text: 'delete from import_process where id = $1 returning 1',
};

/**
 * Erases a person from the rows of an account, by the catalogue. A staged account that was never created is deleted as a whole.
 * @param em of the transaction that has locked the rows
 * @returns the tables in which something was erased
 */
export async function erasePerson(em: EntityManager, found: FoundPerson, person: Person): Promise<ErasedTable[]> {
  const done: ErasedTable[] = [];
  const values = valuesOf(found, person);
  for (const { table, erase, columns } of ERASE) {
    const rows = await run(em, erase, values);
    if (rows.length > 0) done.push({ table, rows: rows.length, columns });
  }
  if (found.accountId === null) {
    for (const [table, query] of [
      ['import_process_revision', DELETE_REVISIONS],
      ['import_process', DELETE_PROCESS],
    ] as const) {
      const rows = await run(em, query, [found.processId]);
      done.push({ table, rows: rows.length, columns: [] });
    }
  }
  const [audit] = await run<{ entries: number }>(em, ERASE_AUDIT, [
    person.importSupplier,
    person.externalAccountNumber,
  ]);
  if (audit!.entries > 0) {
    done.push({ table: 'audit_entry', rows: audit!.entries, columns: ['before', 'after', 'reason'] });
  }
  return done;
}

const COUNT_REVISIONS: PreparedQuery = {
  name: 'count-revisions-of-staged',
  text: 'select count(*)::integer as rows from import_process_revision where import_process_id = $1',
};

/**
 * Counts what an erasure would change now: the tables, rows and columns that `erasePerson` reports, except for audit entries, which only a
 * function of their owner can find.
 */
export async function countToErase(on: Queryable, found: FoundPerson, person: Person): Promise<ErasedTable[]> {
  const tables: ErasedTable[] = [];
  const values = valuesOf(found, person);
  const add = async (table: string, query: PreparedQuery, of: unknown[], columns: string[]) => {
    const [counted] = await run<{ rows: number }>(on, query, of);
    if (counted!.rows > 0) tables.push({ table, rows: counted!.rows, columns });
  };
  for (const { table, count, columns } of ERASE) await add(table, count, values, columns);
  if (found.accountId === null) {
    await add('import_process_revision', COUNT_REVISIONS, [found.processId], []);
    tables.push({ table: 'import_process', rows: 1, columns: [] });
  }
  return tables;
}

import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { personalData } from '../catalogue.rules.ts';
import type { CataloguedTable } from '../catalogued-table.rules.ts';
import { valuesOf, WHO, type FoundPerson, type Person } from '../erase/erase-person.store.ts';

function exportSql(table: string, { of, exported, exportedWhere }: CataloguedTable): PreparedQuery {
  return {
    name: `export-${table}`,
    text: `${WHO}
      select coalesce(jsonb_agg(to_jsonb(t) ${exported === undefined ? '' : `|| ${exported}`}), '[]')::text as rows
      from ${table} t, who where ${of} and ${exportedWhere ?? 'true'}`,
  };
}

const EXPORT = [...personalData].flatMap(([table, catalogued]) =>
  catalogued.of === undefined ? [] : [{ table, query: exportSql(table, catalogued) }],
);

/**
 * All that is stored of a person: the rows of their account in every table of the catalogue.
 * @param em of a transaction that sees one moment
 * @returns a JSON object with a list for each table; a text, which keeps digits that a number of JavaScript would lose
 */
export async function exportPerson(em: EntityManager, found: FoundPerson, person: Person): Promise<string> {
  const values = valuesOf(found, person);
  const members: string[] = [];
  for (const { table, query } of EXPORT) {
    const [row] = await run<{ rows: string }>(em, query, values);
    members.push(`${JSON.stringify(table)}:${row!.rows}`);
  }
  return `{${members.join(',')}}`;
}

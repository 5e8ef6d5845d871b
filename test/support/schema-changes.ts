import type pg from 'pg';

interface Column {
  type: string;
  isRequired: boolean;
  isFilled: boolean;
}

interface Rule {
  kind: 'check' | 'unique' | 'foreign key';
  columns: string[];
  text: string;
}

/** The parts of a schema that processes depend on. */
export interface Schema {
  tables: Map<string, { columns: Map<string, Column>; rules: Rule[] }>;
  /** Result types by signature. */
  functions: Map<string, string>;
}

const COLUMNS = `
  select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
         a.atthasdef or a.attidentity <> '' as filled
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and a.attnum > 0 and not a.attisdropped`;

/** Constraints, and unique indexes, which also restrict rows and which `on conflict` needs. */
const RULES = `
  select c.relname as table, case contype when 'c' then 'check' else 'foreign key' end as kind, pg_get_constraintdef(k.oid) as text,
         array(select attname::text from pg_attribute where attrelid = c.oid and attnum = any (k.conkey)) as columns
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where c.relnamespace = 'public'::regnamespace and contype in ('c', 'f')
  union all
  select c.relname, 'unique', regexp_replace(pg_get_indexdef(i.indexrelid), 'INDEX \\S+ ON', 'INDEX ON'),
         array(select attname::text from pg_attribute where attrelid = c.oid and attnum = any (i.indkey::smallint[]))
  from pg_index i join pg_class c on c.oid = i.indrelid
  where c.relnamespace = 'public'::regnamespace and i.indisunique`;

const FUNCTIONS = `
  select format('%s(%s)', proname, pg_get_function_identity_arguments(oid)) as signature, pg_get_function_result(oid) as result
  from pg_proc where pronamespace = 'public'::regnamespace`;

/** Reads a schema from the catalogue of Postgres. */
export async function readSchema(client: pg.ClientBase): Promise<Schema> {
  const tables: Schema['tables'] = new Map();
  const { rows: columns } = await client.query(COLUMNS);
  for (const { table, column, type, required, filled } of columns) {
    if (!tables.has(table)) tables.set(table, { columns: new Map(), rules: [] });
    tables.get(table)!.columns.set(column, { type, isRequired: required, isFilled: filled });
  }
  const { rows: rules } = await client.query(RULES);
  for (const { table, ...rule } of rules) tables.get(table)?.rules.push(rule);
  const { rows: functions } = await client.query(FUNCTIONS);
  return { tables, functions: new Map(functions.map(({ signature, result }) => [signature, result])) };
}

/**
 * Lists incompatibilities for a process that knows the earlier schema, one sentence each: objects that it uses are gone
 * or changed, or rows that it may write are rejected. Does not detect changes of meaning.
 */
export function changesThatBreak(before: Schema, after: Schema): string[] {
  const faults = [...before.functions].flatMap(([signature, result]) => {
    if (!after.functions.has(signature)) return [`function ${signature} is gone`];
    const now = after.functions.get(signature);
    return now === result ? [] : [`function ${signature} returns ${now}, not ${result}`];
  });
  for (const [table, { columns, rules }] of before.tables) {
    const now = after.tables.get(table);
    if (now === undefined) {
      faults.push(`table ${table} is gone`);
      continue;
    }
    for (const [name, column] of columns) {
      faults.push(...columnFaults(`${table}.${name}`, column, now.columns.get(name)));
    }
    for (const [name, column] of now.columns) {
      if (!columns.has(name) && column.isRequired && !column.isFilled) faults.push(`${table}.${name} is now required`);
    }
    faults.push(...ruleFaults(table, rules, now.rules, columns));
  }
  return faults;
}

function columnFaults(place: string, before: Column, now: Column | undefined): string[] {
  if (now === undefined) return [`${place} is gone`];
  const faults = now.type === before.type ? [] : [`${place} is ${now.type}, not ${before.type}`];
  if (now.isRequired && !before.isRequired) faults.push(`${place} must not be null`);
  if (before.isRequired && !now.isRequired) faults.push(`${place} may be null`);
  if (before.isFilled && !now.isFilled && now.isRequired) faults.push(`${place} is now required`);
  return faults;
}

function ruleFaults(
  table: string,
  before: readonly Rule[],
  now: readonly Rule[],
  known: ReadonlyMap<string, Column>,
): string[] {
  const had = new Set(before.map(({ text }) => text));
  const has = new Set(now.map(({ text }) => text));
  // `on conflict` depends on unique indexes.
  const removed = before.filter(({ kind, text }) => kind === 'unique' && !has.has(text));
  const more = now
    .filter(({ text }) => !had.has(text))
    // Older releases leave new columns at their defaults.
    .filter(({ columns }) => columns.length === 0 || columns.some((column) => known.has(column)))
    .filter((rule) => !before.some((former) => isWider(former, rule)));
  return [
    ...removed.map(({ text }) => `${table} loses ${text}`),
    ...more.map(({ text }) => `${table} has the new constraint ${text}`),
  ];
}

const LITERALS = /'[^']*'::[a-z ]+|'[^']*'/g;

/** Whether a CHECK accepts more values of the same list. */
function isWider(former: Rule, rule: Rule): boolean {
  const form = (text: string) => text.replaceAll(LITERALS, '?').replaceAll(/\?(?:, \?)*/g, '?');
  const values = (text: string): string[] => text.match(LITERALS) ?? [];
  return (
    rule.kind === 'check' &&
    former.kind === 'check' &&
    form(rule.text) === form(former.text) &&
    values(former.text).every((value) => values(rule.text).includes(value))
  );
}

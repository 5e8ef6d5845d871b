import { expect, test } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { personalData } from '../../src/personal-data/catalogue.rules.ts';
import { erasuresOf } from '../../src/personal-data/erase/erase-person.store.ts';
import { KEPT, PERSONAL } from '../../src/platform/database/personal-columns.ts';
import { entities } from '../../src/processes/entities.ts';

// entities.test.ts shows that the entities have every table and column of the database.
const orm = new MikroORM({ dbName: 'none', entities: [...entities] });
const tables = [...orm.getMetadata().getAll().values()].map(({ tableName, props }) => ({
  name: tableName,
  columns: props.flatMap(({ fieldNames, comment }) => fieldNames.map((name) => ({ name, class: comment }))),
}));

/** Tables of staff, keys, counts, companies, meters and work in progress. */
const WITHOUT_PERSONAL_DATA = `
  access_token account_count account_count_change account_day audit_anchor audit_block audit_chain audit_verification api_key api_key_import_supplier business_contract
  contract_term contract_version counted_attempt count_minute creation_slot creation_slot_wait
  dispatcher_lease event event_deletion event_endpoint event_outbox event_sequence field_hash_layout
  idempotency_use import_job import_job_part import_job_totals import_supplier look_up look_up_page manifest number_mark operations_team
  organisation party_health party_minute payment_vendor_rest person_session population_batch population_batch_import_supplier
  population_chunk population_operator_progress population_request reconciliation reconciliation_difference
  retention setting throttle wave wave_account wave_approval wave_exclusion withdrawal_business withdrawal_obstacle bulk_action bulk_action_item work_item
`;

test('declares for each column of a table with personal data whether it is personal', () => {
  const unclassified = tables.filter(({ columns }) => columns.every((column) => column.class === undefined));
  const known = ['applied_sql_file', 'mikro_orm_migrations'];
  expect(
    unclassified
      .map(({ name }) => name)
      .filter((name) => !known.includes(name))
      .toSorted(),
  ).toEqual(WITHOUT_PERSONAL_DATA.trim().split(/\s+/).toSorted());
  const partly = tables
    .filter((table) => !unclassified.includes(table))
    .flatMap(({ name, columns }) => columns.map((column) => [`${name}.${column.name}`, column.class]))
    .filter(([, of]) => of !== KEPT && of !== PERSONAL);
  expect(partly).toEqual([]);
});

test('erases every personal column, and no other', () => {
  const personal = tables.flatMap(({ name, columns }) =>
    columns.filter((column) => column.class === PERSONAL).map((column) => `${name}.${column.name}`),
  );
  const erased = erasuresOf(orm.getMetadata()).flatMap(({ table, columns }) => columns.map((one) => `${table}.${one}`));
  const elsewhere = [...personalData].flatMap(([table, { erasedElsewhere = '' }]) =>
    erasedElsewhere.split(' ').flatMap((column) => (column === '' ? [] : [`${table}.${column}`])),
  );
  expect([...erased, ...elsewhere].toSorted()).toEqual(personal.toSorted());
  const replaced = [...personalData].flatMap(([table, { erased: columns = {} }]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  );
  expect(replaced.filter((column) => !personal.includes(column))).toEqual([]);
});

test('finds the rows of an account in every table that it erases', () => {
  const homeless = erasuresOf(orm.getMetadata()).filter(({ table }) => personalData.get(table)?.of === undefined);
  expect(homeless).toEqual([]);
});

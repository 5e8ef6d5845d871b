import { Migration } from '@mikro-orm/migrations';

/** What a batch says of the customers' authorisation, and the import suppliers that it belongs to. */
export class M019LookUpCustomerAuthorisation extends Migration {
  override async up(): Promise<void> {
    for (const statement of [...BATCH, ...LOOK_UP, ...FACTS]) this.addSql(statement);
  }
}

/**
 * Nobody has an authorisation unless somebody says so. A batch that was accepted before has no row in
 * `population_batch_import_supplier`: it belongs to its organisation as a whole, as it was accepted.
 */
const BATCH = [
  'alter table organisation add column customer_authorisation boolean not null default false',
  'alter table population_batch add column customer_authorisation boolean not null default false',
  'alter table population_share add column customer_authorisation boolean not null default false',
  `create table population_batch_import_supplier (
    batch_id uuid not null references population_batch (id),
    import_supplier text collate "C" not null references import_supplier (code),
    primary key (batch_id, import_supplier)
  )`,
];

/**
 * Asked with an authorisation and without one are two questions: batches share a look-up only with those that ask the
 * same. Until now Enedis SGE was told of an authorisation in every call.
 */
const LOOK_UP = [
  'alter table look_up add column customer_authorisation boolean not null default false',
  `update look_up set customer_authorisation = true where network_operator = 'enedis' and state = 'imported'`,
  'alter table look_up drop constraint look_up_network_operator_identifier_key',
  'alter table look_up add constraint look_up_network_operator_identifier_key unique (network_operator, identifier, customer_authorisation)',
];

/** What was found with an authorisation is not shown to those who have none. */
const FACTS = [
  'alter table supply_point add column facts_with_authorisation boolean not null default false',
  `update supply_point set facts_with_authorisation = true where facts_source = 'enedis-sge'`,
];

import { Migration } from '@mikro-orm/migrations';

/**
 * Numbers are given only from a range that was reserved outside this database too, and only by the database that reserved
 * it: a database that was restored gives none before its ranges lie beyond all that was ever given.
 */
export class M021NumberMarkReservedNumbers extends Migration {
  override async up(): Promise<void> {
    for (const statement of [...MARK, ...GUARD, ...BUSINESS]) this.addSql(statement);
  }
}

/** One row. Numbers above `*_from` up to `*_until` may be given while the database is the `incarnation` that reserved them; null: none has yet. */
const MARK = [
  `create table number_mark (
    id boolean primary key default true check (id),
    account_from bigint not null default 0,
    account_until bigint not null default 0,
    business_from bigint not null default 0,
    business_until bigint not null default 0,
    incarnation text,
    reserved_at timestamptz not null default now(),
    check (account_from <= account_until and business_from <= business_until)
  )`,
  'insert into number_mark default values',
];

/**
 * `database_incarnation` tells this database from any copy of it and from itself before a restart: a copy of the files
 * needs a start of the server, a copy inside the server has another oid, and a dump that is read back makes the table anew.
 * It may change without need; numbers then leap, which costs nothing. The bounds are read after the number was taken, so
 * that a leap that was committed in between shows.
 */
const GUARD = [
  `create function database_incarnation() returns text language sql stable as $$
    select extract(epoch from pg_postmaster_start_time())::text || '/' || (select oid from pg_database where datname = current_database())
      || '/' || 'number_mark'::regclass::oid || '/' || pg_relation_filenode('number_mark')
  $$`,
  `create function next_account_serial() returns bigint language plpgsql volatile as $$
  declare
    serial bigint := nextval('account_number_sequence');
  begin
    if not exists (select from number_mark where serial > account_from and serial <= account_until and incarnation = database_incarnation()) then
      raise exception 'no account number is reserved' using errcode = 'GW001';
    end if;
    return serial;
  end $$`,
  // For many at once: the bounds are looked at once. Serials rise, and a leap in between leaves the first below the bound.
  `create function take_account_serials(wanted integer) returns setof bigint language plpgsql volatile as $$
  declare
    serials bigint[] := array(select nextval('account_number_sequence') from generate_series(1, wanted));
  begin
    if not exists (select from number_mark where serials[1] > account_from and serials[wanted] <= account_until and incarnation = database_incarnation()) then
      raise exception 'no account number is reserved' using errcode = 'GW001';
    end if;
    return query select unnest(serials);
  end $$`,
  'alter table account alter column number set default account_number(next_account_serial())',
];

const BUSINESS = [
  'alter table business alter column service_business_id drop identity',
  'create sequence business_id_sequence as integer',
  "select setval('business_id_sequence', coalesce(max(service_business_id), 1), max(service_business_id) is not null) from business",
  `create function next_business_id() returns integer language plpgsql volatile as $$
  declare
    serial integer := nextval('business_id_sequence');
  begin
    if not exists (select from number_mark where serial > business_from and serial <= business_until and incarnation = database_incarnation()) then
      raise exception 'no business id is reserved' using errcode = 'GW001';
    end if;
    return serial;
  end $$`,
  'alter table business alter column service_business_id set default next_business_id()',
];

import { Migration } from '@mikro-orm/migrations';

/** What operators set at run time, and the slots of the concurrency limit on creations. */
export class M005Operations extends Migration {
  override async up(): Promise<void> {
    for (const statement of [SETTING, ...CREATION_SLOT, TAKE_CREATION_SLOT]) this.addSql(statement);
  }
}

const SETTING = `
  create table setting (
    name text collate "C" primary key,
    value jsonb not null,
    reason text,
    updated_at timestamptz not null default now()
  )`;

/**
 * A creation that is under way. `workflow_id` is null until its run is about to start; a request for a number that
 * nothing is staged under has no import process.
 */
const CREATION_SLOT = [
  `create table creation_slot (
    creation_id uuid primary key,
    import_process_id uuid references import_process (id),
    workflow_id text collate "C",
    taken_at timestamptz not null default now()
  )`,
  'create index creation_slot_taken on creation_slot (taken_at)',
];

/**
 * A function, because its inner statements see what was committed while the first of them waited for the lock; a single
 * statement would count as of its own beginning and let two in at once. An account that holds a slot already takes
 * no second one, whatever process asks.
 */
const TAKE_CREATION_SLOT = `
  create function take_creation_slot(wanted_id uuid, supplier text, external text) returns text language plpgsql volatile as $$
  declare
    slots_max integer;
    process_id uuid;
  begin
    select (value ->> 'limit')::integer into slots_max from setting where name = 'create-account-concurrency-limit' for no key update;
    if slots_max is null then
      return 'off';
    end if;
    select id into process_id from import_process where import_supplier = supplier and external_account_number = external;
    if not exists (select from creation_slot where import_process_id = process_id)
      and (select count(distinct coalesce(import_process_id, creation_id)) from creation_slot) >= slots_max then
      return 'none-free';
    end if;
    insert into creation_slot (creation_id, import_process_id) values (wanted_id, process_id);
    return 'taken';
  end $$`;

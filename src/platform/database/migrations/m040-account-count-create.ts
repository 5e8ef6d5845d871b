import { Migration } from '@mikro-orm/migrations';

/** What the overview shows without reading large tables: counts of accounts, creations by minute, and how outside parties do. */
export class M040AccountCountCreate extends Migration {
  override async up(): Promise<void> {
    for (const statement of [...TABLES, ...FUNCTIONS, LOCK, ...TRIGGERS, ...COUNTED_ONCE]) this.addSql(statement);
  }
}

/**
 * Counts are kept by appending (docs/decisions/0048-counts-by-appending.md): a transaction adds rows to `account_count_change`,
 * a worker folds them into `account_count` and `creation_minute`, and a reader adds up all of them.
 */
const TABLES = [
  `create table account_count (
    import_supplier text collate "C" not null,
    state text collate "C" not null,
    count bigint not null,
    primary key (import_supplier, state)
  ) with (fillfactor = 50)`,
  `create table account_count_change (
    id bigint generated always as identity primary key,
    import_supplier text collate "C" not null,
    state text collate "C" not null,
    change integer not null,
    changed_at timestamptz not null default now()
  )`,
  `create table creation_minute (
    minute timestamptz not null,
    import_supplier text collate "C" not null,
    created integer not null,
    primary key (minute, import_supplier)
  ) with (fillfactor = 50)`,
  `create table party_health (
    party text collate "C" primary key,
    answered_at timestamptz,
    failed_at timestamptz,
    failure text,
    rests_until timestamptz
  ) with (fillfactor = 50)`,
];

/** Their first text; `migrate` applies the newest after all migrations. */
const FUNCTIONS = [
  `create function held_up_state(imported_at timestamptz, skipped_at timestamptz, workflow_id text, refusal jsonb) returns text language sql immutable as $$
    select case
      when imported_at is not null then null
      when skipped_at is not null then 'skipped'
      when workflow_id is not null then 'being_created'
      when refusal is not null then 'refused' end
  $$`,
  `create function count_new_accounts() returns trigger language plpgsql as $$
  begin
    if not exists (select from after_rows) then
      return null;
    end if;
    if tg_table_name = 'import_process' then
      insert into account_count_change (import_supplier, state, change)
        select import_supplier, 'known', count(*) from after_rows group by 1;
    else
      insert into account_count_change (import_supplier, state, change)
        select import_supplier, state, count(*) from after_rows, unnest(array['created', switch_status]) as state group by 1, 2;
    end if;
    return null;
  end $$`,
  `create function count_changed_account() returns trigger language plpgsql as $$
  declare
    states text[];
  begin
    if tg_table_name = 'import_process' then
      states := array[held_up_state(old.imported_at, old.skipped_at, old.workflow_id, old.refusal),
        held_up_state(new.imported_at, new.skipped_at, new.workflow_id, new.refusal)];
    else
      states := array[old.switch_status, new.switch_status];
    end if;
    insert into account_count_change (import_supplier, state, change)
      select new.import_supplier, moved.state, moved.change from unnest(states, array[-1, 1]) as moved (state, change) where moved.state is not null;
    return null;
  end $$`,
];

/** Nothing may come between counting what is there and the triggers that count what comes. */
const LOCK = 'lock table import_process, account in share row exclusive mode';

const TRIGGERS = [
  `create trigger count_staged after insert on import_process
    referencing new table as after_rows for each statement execute function count_new_accounts()`,
  `create trigger count_held_up after update on import_process for each row
    when (held_up_state(old.imported_at, old.skipped_at, old.workflow_id, old.refusal)
      is distinct from held_up_state(new.imported_at, new.skipped_at, new.workflow_id, new.refusal))
    execute function count_changed_account()`,
  `create trigger count_created after insert on account
    referencing new table as after_rows for each statement execute function count_new_accounts()`,
  `create trigger count_switched after update on account for each row
    when (old.switch_status is distinct from new.switch_status) execute function count_changed_account()`,
];

const COUNTED_ONCE = [
  `insert into account_count (import_supplier, state, count)
    select import_supplier, state, count(*) from import_process p,
      unnest(array['known', held_up_state(p.imported_at, p.skipped_at, p.workflow_id, p.refusal)]) as state
    where state is not null group by 1, 2`,
  `insert into account_count (import_supplier, state, count)
    select import_supplier, state, count(*) from account, unnest(array['created', switch_status]) as state group by 1, 2`,
  `insert into creation_minute (minute, import_supplier, created)
    select date_trunc('minute', created_at), import_supplier, count(*) from account where created_at > now() - interval '1 day' group by 1, 2`,
];

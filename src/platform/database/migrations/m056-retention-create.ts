import { Migration } from '@mikro-orm/migrations';

/** Staged payloads may be gone, and each class of personal data has a row that tells how far its retention is (docs/decisions/0056-retention.md). */
export class M056RetentionCreate extends Migration {
  override async up(): Promise<void> {
    for (const statement of [...PAYLOAD, ...COUNTS, ...RETENTION, WORK_ITEM_KIND]) this.addSql(statement);
  }
}

/** The index holds what is still to be deleted, and nothing else. */
const PAYLOAD = [
  `alter table import_process
    alter column payload drop not null,
    alter column phone_numbers drop not null,
    add column payload_deleted_at timestamptz`,
  'create index import_process_payload_kept on import_process (imported_at) where imported_at is not null and payload_deleted_at is null',
];

/** The function's text stands in a file, which `migrate` applies after all migrations. */
const COUNTS = [
  "create or replace function count_deleted_accounts() returns trigger language plpgsql as 'begin return null; end'",
  `create trigger count_deleted after delete on import_process
    referencing old table as before_rows for each statement execute function count_deleted_accounts()`,
];

/** `position` is where a look through a class goes on; `deleted_before` is what was deleted when the run under way began. */
const RETENTION = [
  `create table retention (
    class text collate "C" primary key check (class in ('created_payload', 'never_created', 'audit')),
    position jsonb,
    deleted bigint not null default 0,
    deleted_before bigint not null default 0,
    started_at timestamptz not null default now(),
    completed_at timestamptz not null default now()
  )`,
  `insert into retention (class) values ('created_payload'), ('never_created'), ('audit')`,
];

/** One more kind beside those that are there, whichever they are. */
const WORK_ITEM_KIND = `
  do $$
  declare
    kinds text := (select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'work_item'::regclass and conname = 'work_item_kind_check');
  begin
    alter table work_item drop constraint work_item_kind_check;
    execute 'alter table work_item add constraint work_item_kind_check ' || replace(kinds, 'ARRAY[', 'ARRAY[''retention''::text, ');
  end $$`;

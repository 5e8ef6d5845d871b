import { Migration } from '@mikro-orm/migrations';

/** Where events are delivered to (docs/decisions/0055-webhooks.md). */
export class M054EventEndpointCreate extends Migration {
  override async up(): Promise<void> {
    for (const statement of [ENDPOINT, WORK_ITEM_KIND]) this.addSql(statement);
  }
}

/**
 * All up to `position` is delivered. An endpoint that has ended is kept, for who wonders why nothing comes. While its secret is changed both
 * secrets sign.
 */
const ENDPOINT = `
  create table event_endpoint (
    id uuid primary key,
    import_supplier text collate "C" not null references import_supplier (code),
    organisation text,
    url text not null,
    secret text not null,
    old_secret text,
    old_secret_until timestamptz,
    position bigint not null,
    delivered_at timestamptz,
    failing_since timestamptz,
    failure text,
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    ended_because text check (ended_because in ('gone', 'removed')),
    check ((old_secret is null) = (old_secret_until is null)),
    check ((ended_at is null) = (ended_because is null))
  ) with (fillfactor = 50)`;

/** One more kind beside those that are there, whichever they are. */
const WORK_ITEM_KIND = `
  do $$
  declare
    kinds text := (select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'work_item'::regclass and conname = 'work_item_kind_check');
  begin
    alter table work_item drop constraint work_item_kind_check;
    execute 'alter table work_item add constraint work_item_kind_check ' || replace(kinds, 'ARRAY[', 'ARRAY[''deliver-events''::text, ');
  end $$`;

import { Migration } from '@mikro-orm/migrations';

/** What has happened, told in order (docs/decisions/0054-event-outbox.md). */
export class M053EventCreate extends Migration {
  override async up(): Promise<void> {
    for (const statement of [OUTBOX, EVENT, ...SEQUENCE, ...BATCHES]) this.addSql(statement);
  }
}

/**
 * Events as they were written, in the transactions that made them true. `organisation` is null where everybody may know who
 * has the import supplier. Two events of one subject are written under its lock, so their numbers are in its order; between
 * subjects a lower number may come to be seen later. Rows stay for seconds, so the table is looked after more often.
 */
const OUTBOX = `
  create table event_outbox (
    number bigint generated always as identity primary key,
    id uuid not null default gen_random_uuid(),
    import_supplier text collate "C" not null,
    organisation text,
    type text not null,
    subject text not null,
    data jsonb not null,
    occurred_at timestamptz not null default clock_timestamp()
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`;

/** Events as they are read: a position is given when all that comes before is there. */
const EVENT = `
  create table event (
    import_supplier text collate "C" not null,
    position bigint not null,
    id uuid not null,
    organisation text,
    type text not null,
    subject text not null,
    data jsonb not null,
    occurred_at timestamptz not null,
    primary key (import_supplier, position)
  )`;

/** The last position that was given, and of each import supplier the last of those that were deleted for their age. */
const SEQUENCE = [
  "create table event_sequence (name text primary key check (name = 'events'), position bigint not null)",
  "insert into event_sequence (name, position) values ('events', 0)",
  'create table event_deletion (import_supplier text collate "C" primary key, position bigint not null)',
];

/** A batch ends in several statements; each is heard. The function itself stands in a file beside the others of the batches. */
const BATCHES = [
  "create or replace function tell_ended_batch() returns trigger language plpgsql as 'begin return null; end'",
  `create trigger population_batch_ended after update of status on population_batch for each row
    when (old.status = 'IN_PROGRESS' and new.status <> 'IN_PROGRESS') execute function tell_ended_batch()`,
];

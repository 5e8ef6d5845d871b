-- Events and their delivery (docs/decisions/0054-event-outbox.md).

-- An event that has no position yet, written by the transaction of the change that it reports.
create table event_outbox (
  number bigint generated always as identity primary key,
  id uuid not null default gen_random_uuid(),
  import_supplier text collate "C" not null,
  organisation text,
  type text not null,
  subject text not null,
  data jsonb not null,
  occurred_at timestamptz not null default clock_timestamp()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The last assigned position; one row.
create table event_sequence (
  name text primary key check (name = 'events'),
  position bigint not null
);

insert into event_sequence (name, position) values ('events', 0);

-- An event that can be read and delivered; a partition for each month.
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
) partition by range (position);
create index event_of_wave on event (subject, position) where subject like 'waves/%';
create table by_month.event_other partition of event default;

-- The position up to which expired events of an import supplier were deleted.
create table event_deletion (
  import_supplier text collate "C" primary key,
  position bigint not null
);

-- An address to which events of an import supplier are delivered.
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
) with (fillfactor = 50);

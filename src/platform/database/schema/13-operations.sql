-- Scheduled work, settings, numbers, idempotency and retention.

-- Scheduled work that a committed state requires (docs/decisions/0041-work-items-with-a-dispatcher.md).
create table work_item (
  workflow_id text collate "C" primary key,
  kind text not null check (kind in ('retention', 'deliver-events', 'create-account', 'verify-payment-instruction', 'populate-supply-points', 'look-up-supply-points', 'request-switches', 'switch-supplier', 'import-job', 'wave', 'reconcile', 'withdraw', 'bulk-action')),
  input jsonb not null,
  start_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  state text check (state in ('signalled', 'unreachable', 'silent')),
  step_scheduled_at timestamptz,
  -- Only of work in pages (docs/decisions/0074-switches-in-pages.md): whether it has a run of its own, its failed tries, and until when a page holds it.
  runs_alone boolean not null default false,
  tries integer not null default 0 check (tries >= 0),
  held_until timestamptz,
  traceparent text,
  -- Why its run fails, and the party that has to recover; updated by the worker.
  cause text,
  party text,
  failure text,
  failing_since timestamptz,
  check ((cause is null) = (failing_since is null))
);
create index work_item_failing on work_item (failing_since, workflow_id) where cause is not null;
-- For counts and lists. An expression, so that claims cannot use it: a plan made while nothing is due would later read
-- the due work of all import suppliers for each of them.
create index work_item_due on work_item ((start_at at time zone 'UTC'));
create index work_item_troubled on work_item (created_at, workflow_id) where state in ('unreachable', 'silent');
create index work_item_run on work_item (workflow_id) where kind <> 'switch-supplier' or runs_alone;
-- Work that a dispatcher claims, by import supplier: new or signaled, and started before. 31 seconds: the head start of the process that enqueues work, and one more.
create index work_item_run_new on work_item ((coalesce(input ->> 'importSupplier', '')), start_at) where (kind <> 'switch-supplier' or runs_alone) and (state is not distinct from 'signalled' or start_at - created_at <= interval '31 seconds');
create index work_item_run_again on work_item ((coalesce(input ->> 'importSupplier', '')), start_at) where (kind <> 'switch-supplier' or runs_alone) and state is distinct from 'signalled' and start_at - created_at > interval '31 seconds';
-- Switches that a page claims, by import supplier; the collation is that of its code, otherwise the index finds no supplier.
create index work_item_switch_signalled on work_item ((input ->> 'importSupplier') collate "C", start_at) where kind = 'switch-supplier' and not runs_alone and state = 'signalled';
create index work_item_switch_scheduled on work_item ((input ->> 'importSupplier') collate "C", start_at) where kind = 'switch-supplier' and not runs_alone and state is distinct from 'signalled';

-- The process that dispatches due work; one row (docs/decisions/0025-dispatcher-lease.md).
create table dispatcher_lease (
  name text primary key check (name = 'work-items'),
  fencing_number bigint not null default 0,
  holder text,
  held_since timestamptz,
  held_until timestamptz not null default now(),
  last_swept_at timestamptz
);

insert into dispatcher_lease (name) values ('work-items');

-- A value that operators set at run time, unlike the settings of a process.
create table setting (
  name text collate "C" primary key,
  value jsonb not null,
  reason text,
  updated_at timestamptz not null default now()
);

-- The ranges of account numbers and business ids that this database may issue; one row (docs/decisions/0023-numbers-are-given-once.md).
create table number_mark (
  id boolean default true primary key check (id),
  account_from bigint not null default 0,
  account_until bigint not null default 0,
  business_from bigint not null default 0,
  business_until bigint not null default 0,
  incarnation text,
  reserved_at timestamptz not null default now(),
  check (account_from <= account_until and business_from <= business_until)
);

insert into number_mark default values;

-- The health of an outside party, as reported by workers, and its last outages, newest first: `from`, `to` (absent until the circuit breaker closes), `failed_calls`.
create table party_health (
  party text collate "C" primary key,
  answered_at timestamptz,
  failed_at timestamptz,
  failure text,
  rests_until timestamptz,
  outages jsonb not null default '[]'
) with (fillfactor = 50);

-- Calls to an outside party that it responded to, and that failed, in a minute; kept for a day.
create table party_minute (
  party text collate "C" not null,
  minute timestamptz not null,
  answered integer not null,
  failed integer not null,
  primary key (party, minute)
) with (fillfactor = 50);

-- A client's Idempotency-Key with the claim of the request in progress, or with its response.
create table idempotency_key (
  organisation text collate "C" not null,
  key_hash bytea not null,
  request_hash bytea not null,
  once_id uuid not null,
  claim uuid,
  claimed_until timestamptz,
  import_supplier text collate "C",
  external_account_number text collate "C",
  status smallint,
  headers jsonb,
  answer text,
  created_at timestamptz not null default now(),
  primary key (organisation, key_hash),
  check ((status is null) = (answer is null)),
  check ((status is null) = (claim is not null)),
  check ((claim is null) = (claimed_until is null))
) with (fillfactor = 60);
create index idempotency_key_created_at on idempotency_key (created_at);
create index idempotency_key_account on idempotency_key (import_supplier, external_account_number) where external_account_number is not null;

-- The number and size of responses that were stored for an organization on a day.
create table idempotency_use (
  organisation text collate "C" not null,
  day date not null,
  answers bigint not null,
  bytes bigint not null,
  primary key (organisation, day)
) with (fillfactor = 50);

-- The progress of deleting a class of personal data.
create table retention (
  class text collate "C" primary key check (class in ('created_payload', 'never_created', 'audit', 'idempotency_key')),
  position jsonb,
  deleted bigint not null default 0,
  deleted_before bigint not null default 0,
  started_at timestamptz not null default now(),
  completed_at timestamptz not null default now()
);

insert into retention (class) values ('created_payload'), ('never_created'), ('audit'), ('idempotency_key');

-- The checksum of each file of SQL functions that was applied.
create table applied_sql_file (
  path text primary key,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  applied_at timestamptz not null default now()
);

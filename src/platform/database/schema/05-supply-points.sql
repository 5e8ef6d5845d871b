-- Supply points, population batches, lookups at network operators and their throttle.

-- The master record of a supply point (PRM or PCE), shared by all accounts.
create table supply_point (
  id uuid default gen_random_uuid() primary key,
  supply_type text not null check (supply_type in ('ELECTRICITY', 'GAS')),
  identifier text collate "C" not null,
  created_at timestamptz not null default now(),
  facts jsonb,
  facts_source text,
  populated_at timestamptz,
  facts_with_authorisation boolean not null default false,
  unique (supply_type, identifier)
);

-- The speed of calls to a network operator, and its latest slot (docs/decisions/0039-one-row-for-the-throttle.md).
create table throttle (
  network_operator text collate "C" primary key check (network_operator in ('enedis', 'grdf')),
  requests_per_second numeric not null check (requests_per_second >= (0)::numeric),
  requests_per_hour numeric not null check (requests_per_hour >= (0)::numeric),
  reason text,
  blocked_until timestamptz not null default '-infinity'::timestamp with time zone,
  answered_at timestamptz not null default '-infinity'::timestamp with time zone,
  updated_at timestamptz not null default now(),
  last_slot_at timestamptz not null default '-infinity'::timestamp with time zone,
  last_taker uuid,
  last_doubt_ms float8 not null default 0
);

insert into throttle (network_operator, requests_per_second, requests_per_hour) values ('enedis', 5, 10000), ('grdf', 1, 3600);

-- A request of operation 14. The API validates the customer category, because operators can open this value set for a supplier.
create table population_batch (
  id uuid primary key,
  organisation_id uuid not null references organisation (id),
  customer_category text not null,
  status text not null default 'IN_PROGRESS' check (status in ('IN_PROGRESS', 'COMPLETED', 'CANCELLED')),
  warnings jsonb not null,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  customer_authorisation boolean not null default false
);
create index population_batch_open on population_batch (id) where status = 'IN_PROGRESS';
create index population_batch_newest on population_batch (organisation_id, id);
create index population_batch_cancelled on population_batch (id) where status = 'CANCELLED';
create trigger population_batch_ended after update of status on population_batch for each row
  when (old.status = 'IN_PROGRESS' and new.status <> 'IN_PROGRESS')
  execute function notify_ended_batch();

-- An import supplier to which a batch belongs.
create table population_batch_import_supplier (
  batch_id uuid not null references population_batch (id),
  import_supplier text collate "C" not null references import_supplier (code),
  primary key (batch_id, import_supplier)
);
create index population_batch_of_import_supplier on population_batch_import_supplier (import_supplier, batch_id);

-- The progress of a batch at one network operator: counts, when it was last served, rate.
create table population_operator_progress (
  batch_id uuid not null references population_batch (id),
  network_operator text collate "C" not null references throttle (network_operator),
  accepted integer not null,
  imported integer not null,
  errored integer not null,
  served_at timestamptz not null default '-infinity'::timestamp with time zone,
  window_at timestamptz not null default now(),
  window_count integer not null default 0,
  earlier_at timestamptz not null default now(),
  earlier_count integer not null default 0,
  customer_authorisation boolean not null default false,
  primary key (batch_id, network_operator),
  check (imported >= 0 and errored >= 0 and ((imported + errored) <= accepted))
) with (fillfactor = 50);
create index population_operator_progress_open on population_operator_progress (network_operator, batch_id) where (imported + errored) < accepted;

-- Identifiers of a large batch that are not yet expanded into lookups and requests.
create table population_chunk (
  batch_id uuid not null,
  network_operator text collate "C" not null,
  chunk integer not null,
  identifiers text[] not null,
  is_cancelled boolean not null default false,
  primary key (batch_id, network_operator, chunk),
  foreign key (batch_id, network_operator) references population_operator_progress (batch_id, network_operator)
);

-- The state of one identifier at its network operator, shared by all batches that contain it.
create table look_up (
  id bigint generated always as identity primary key,
  network_operator text collate "C" not null check (network_operator in ('enedis', 'grdf')),
  identifier text collate "C" not null,
  state text not null default 'pending' check (state in ('pending', 'deferred', 'imported', 'errored')),
  errored_reason text,
  tries integer not null default 0,
  last_failure text,
  deferred_at timestamptz,
  due_at timestamptz,
  completed_at timestamptz,
  created_at timestamptz not null default now(),
  customer_authorisation boolean not null default false,
  taken_by uuid,
  constraint look_up_network_operator_identifier_key unique (network_operator, identifier, customer_authorisation),
  check ((state = 'errored') = (errored_reason is not null))
) with (fillfactor = 70);
create index look_up_due on look_up (network_operator, due_at, id) where due_at is not null;
create index look_up_deferred on look_up (deferred_at) where due_at is not null;

-- A page of lookups in progress.
create table look_up_page (
  id uuid primary key,
  network_operator text collate "C" not null references throttle (network_operator),
  look_up_ids bigint[] not null,
  taken_at timestamptz not null default now(),
  held_by uuid not null
);

-- An identifier of a batch.
create table population_request (
  batch_id uuid not null,
  network_operator text collate "C" not null,
  look_up_id bigint not null,
  state text not null check (state in ('pending', 'deferred', 'imported', 'errored')),
  errored_reason text,
  primary key (look_up_id, batch_id),
  foreign key (batch_id, network_operator) references population_operator_progress (batch_id, network_operator),
  check ((state = 'errored') = (errored_reason is not null))
);
create index population_request_state on population_request (batch_id, network_operator, state, look_up_id);

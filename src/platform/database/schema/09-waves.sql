-- Waves: accounts that are approved, created and signed off together (docs/decisions/0076-waves.md).

-- A wave of an import supplier: its plan, and what people and its run have decided. Gates are computed, never stored.
create table wave (
  id uuid primary key,
  import_supplier text collate "C" not null references import_supplier (code),
  organisation text not null,
  api_key_id uuid not null,
  name text collate "C" not null check (char_length(name) between 1 and 200),
  operations_team text collate "C" not null references operations_team (name),
  create_from timestamptz,
  create_until timestamptz check (create_until > create_from),
  supply_start_from date,
  supply_start_to date check (supply_start_to >= supply_start_from),
  -- The accounts that the supplier delivers, if it said so.
  expected_accounts integer check (expected_accounts > 0),
  options jsonb not null default '{}'::jsonb,
  -- Grows with each change of the plan or the options, so that an approval refers to one of them.
  plan_revision integer not null default 1,
  status text not null default 'PREPARING' check (status in ('PREPARING', 'SCHEDULED', 'CREATING', 'PAUSED', 'CREATED', 'WITHDRAWING', 'WITHDRAWN', 'SIGNED_OFF', 'CANCELLED')),
  paused_because text check (paused_because in ('asked', 'past_create_until')),
  creation_job_id uuid,
  rehearsal_job_id uuid,
  created_at timestamptz not null default now(),
  creation_requested_at timestamptz,
  ended_at timestamptz,
  signed_off_by text,
  sign_off_reason text,
  -- The counts of members, refreshed by the run of the wave and by readers.
  counts jsonb,
  counted_at timestamptz,
  unique (import_supplier, name),
  check ((status = 'PAUSED') = (paused_because is not null)),
  check ((status = 'SIGNED_OFF') = (signed_off_by is not null))
) with (fillfactor = 50);
create index wave_newest on wave (import_supplier, id desc);
create index wave_name on wave (fold_name(name) collate "C");
create index wave_open on wave (id) where status not in ('WITHDRAWN', 'SIGNED_OFF', 'CANCELLED');

-- A member of a wave. The revisions are those that its last successful rehearsal and its approval refer to.
create table wave_account (
  import_process_id uuid primary key references import_process (id) on delete cascade,
  wave_id uuid not null references wave (id),
  added_at timestamptz not null default now(),
  rehearsed_revision integer,
  approved_revision integer,
  -- Of the rehearsed revision: its first supply start, and the day on which that switch is to be requested; null if none is requested.
  first_supply_start date,
  switch_request_on date
) with (fillfactor = 80);
create index wave_account_wave on wave_account (wave_id, import_process_id);

-- A record that the wave leaves out: an external account number, or a line of a job (`import-jobs/<id>/lines/<line>`) without a readable number.
create table wave_exclusion (
  wave_id uuid not null references wave (id),
  record text collate "C" not null,
  reason text not null,
  excluded_by text not null,
  excluded_at timestamptz not null default now(),
  primary key (wave_id, record)
);

-- A requested approval of a wave. The person who decides is another one than the person who asked: the service's role may insert only
-- the columns of the request, and change only those of the decision (migrate.ts).
create table wave_approval (
  id uuid primary key,
  wave_id uuid not null references wave (id),
  purpose text not null check (purpose in ('creation', 'withdrawal')),
  requested_by text not null,
  requested_by_id text not null,
  requested_at timestamptz not null default now(),
  request_reason text not null,
  -- SHA-256 over the sorted pairs of external number and revision, the rehearsal and the manifest.
  content_hash bytea not null check (octet_length(content_hash) = 32),
  members integer not null,
  rehearsal_job_id uuid,
  -- The plan and options that approval was requested for, and their revision.
  planned jsonb not null,
  plan_revision integer not null,
  decided_by text,
  decided_by_id text,
  decided_at timestamptz,
  decision text check (decision in ('approved', 'declined')),
  decision_reason text,
  constraint wave_approval_second_person check (decided_by_id <> requested_by_id and decided_by <> requested_by),
  check ((decision is null) = (decided_by is null) and (decision is null) = (decided_by_id is null) and (decision is null) = (decided_at is null))
);
create index wave_approval_newest on wave_approval (wave_id, id desc);
create unique index wave_approval_undecided on wave_approval (wave_id, purpose) where decision is null;

-- Withdrawals of created accounts (docs/decisions/0077-withdrawal.md).

-- A withdrawal of one account, or of the accounts of an import job or a wave: its progress, and the number of deleted rows by table.
create table withdrawal (
  id uuid primary key,
  import_supplier text collate "C" not null references import_supplier (code),
  external_account_number text collate "C",
  import_job_id uuid references import_job (id),
  wave_id uuid references wave (id),
  -- Jobs whose attachments are withdrawn with the accounts.
  attaching_jobs uuid[] not null default '{}',
  organisation text,
  requested_by text not null,
  is_by_operator boolean not null,
  reason text not null,
  status text not null default 'RUNNING' check (status in ('RUNNING', 'COMPLETED', 'CANCELLED')),
  position text not null default '',
  withdrawn integer not null default 0 check (withdrawn >= 0),
  kept integer not null default 0 check (kept >= 0),
  obstacles jsonb not null default '{}'::jsonb,
  deleted_rows jsonb not null default '{}'::jsonb,
  -- Whether businesses that are left without accounts are deleted.
  withdraws_businesses boolean not null default false,
  -- Supply points of withdrawn accounts that are not yet released or deleted.
  freed_points uuid[] not null default '{}',
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((external_account_number is not null)::integer + (import_job_id is not null)::integer + (wave_id is not null)::integer = 1),
  check ((status = 'RUNNING') = (ended_at is null))
) with (fillfactor = 50);
create unique index withdrawal_running_account on withdrawal (import_supplier, external_account_number) where status = 'RUNNING' and external_account_number is not null;
create unique index withdrawal_running_job on withdrawal (import_job_id) where status = 'RUNNING' and import_job_id is not null;
create unique index withdrawal_running_wave on withdrawal (wave_id) where status = 'RUNNING' and wave_id is not null;
create index withdrawal_of_job on withdrawal (import_job_id, id) where import_job_id is not null;
create index withdrawal_of_wave on withdrawal (wave_id, id) where wave_id is not null;
create index withdrawal_of_account on withdrawal (import_supplier, external_account_number) where external_account_number is not null;

-- An account that a withdrawal did not withdraw, with the reasons.
create table withdrawal_obstacle (
  withdrawal_id uuid not null references withdrawal (id),
  external_account_number text collate "C" not null,
  codes text[] not null check (cardinality(codes) > 0),
  primary key (withdrawal_id, external_account_number)
);

-- A business whose contracts withdrawn accounts had, and what became of it; null until all accounts are withdrawn.
create table withdrawal_business (
  withdrawal_id uuid not null references withdrawal (id),
  external_business_identifier text collate "C" not null,
  business_id uuid not null,
  service_business_id integer not null,
  outcome text check (outcome in ('withdrawn', 'not_requested', 'in_use')),
  primary key (withdrawal_id, external_business_identifier)
);
create index withdrawal_business_undecided on withdrawal_business (withdrawal_id, external_business_identifier) where outcome is null;

-- An account that was withdrawn. Its number is never issued again, and its creation is not repeated.
create table withdrawn_account (
  number text collate "C" primary key,
  creation_id uuid not null unique,
  import_supplier text collate "C" not null,
  external_account_number text collate "C" not null,
  created_at timestamptz not null,
  withdrawn_at timestamptz not null default now(),
  withdrawal_id uuid not null references withdrawal (id)
);
create index withdrawn_account_of_external on withdrawn_account (import_supplier, external_account_number);

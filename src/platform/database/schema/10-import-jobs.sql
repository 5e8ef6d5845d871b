-- Import jobs: files of many records (docs/decisions/0045-import-jobs.md).

-- A job: records of one kind and import supplier, and its progress.
create table import_job (
  id uuid primary key,
  import_supplier text collate "C" not null references import_supplier (code),
  organisation text not null,
  api_key_id uuid not null,
  kind text not null check (kind in ('accounts', 'businesses', 'business-contracts', 'notes', 'transactions', 'statements', 'payment-instructions')),
  goal text not null check (goal in ('VALIDATE', 'STAGE', 'REHEARSE', 'CREATE', 'IMPORT')),
  selection text not null check (selection in ('uploaded', 'staged', 'wave')),
  wave_id uuid references wave (id),
  name text,
  operations_team text,
  options jsonb not null default '{}'::jsonb,
  status text not null default 'OPEN' check (status in ('OPEN', 'VALIDATING', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED', 'EXPIRED')),
  paused_because text check (paused_because in ('asked', 'canary', 'too_many_failures', 'outside_window', 'supplier_paused', 'staged_accounts_max', 'key_revoked', 'manifest_mismatch')),
  is_canary_passed boolean not null default false,
  failures_accepted integer not null default 0,
  is_listed boolean not null default false,
  -- Whether the totals of its records are counted, to compare them with a manifest.
  counts_totals boolean not null default false,
  accepted integer not null default 0,
  judged integer not null default 0,
  staged integer not null default 0,
  succeeded integer not null default 0,
  failed integer not null default 0,
  warned integer not null default 0,
  window_at timestamptz not null default now(),
  window_count integer not null default 0,
  earlier_at timestamptz not null default now(),
  earlier_count integer not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  paused_at timestamptz,
  ended_at timestamptz,
  parts_deleted_at timestamptz,
  results_deleted_at timestamptz,
  check ((status = 'PAUSED') = (paused_because is not null)),
  check (succeeded >= 0 and failed >= 0 and ((succeeded + failed) <= accepted))
) with (fillfactor = 50);
create index import_job_not_ended on import_job (import_supplier) where status in ('OPEN', 'VALIDATING', 'RUNNING', 'PAUSED');
create index import_job_of_organisation on import_job (organisation) where parts_deleted_at is null;
create index import_job_key on import_job (api_key_id) where status in ('VALIDATING', 'RUNNING', 'PAUSED');
create index import_job_of_wave on import_job (wave_id, id) where wave_id is not null;
create index import_job_name on import_job (fold_name(name) collate "C") where name is not null;
create index import_job_newest on import_job (import_supplier, id desc);

-- The current upload of a part number.
create table import_job_part (
  job_id uuid not null references import_job (id),
  part integer not null check (part between 1 and 10000),
  upload_id uuid not null unique,
  lines integer not null,
  bytes bigint not null,
  stored_bytes bigint not null default 0,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  uploaded_at timestamptz not null default now(),
  primary key (job_id, part)
);

-- Lines of a job that are processed together.
create table import_job_page (
  upload_id uuid not null,
  upload_page integer not null,
  job_id uuid not null references import_job (id),
  body bytea storage external,
  physical_lines integer not null,
  lines integer not null,
  number integer,
  first_line integer,
  judged_lines integer not null default 0,
  is_judged boolean not null default false,
  is_done boolean not null default false,
  not_before timestamptz,
  uploaded_at timestamptz not null default now(),
  primary key (upload_id, upload_page)
);
create unique index import_job_page_number on import_job_page (job_id, number) where number is not null;
create index import_job_page_first_line on import_job_page (job_id, first_line) where number is not null;
create index import_job_page_to_judge on import_job_page (job_id, number) where number is not null and (not is_judged);
create index import_job_page_unnumbered on import_job_page (uploaded_at) where number is null;
create index import_job_page_to_do on import_job_page (job_id, number) where number is not null and (not is_done);

-- The outcome of a validated line; a partition for the jobs of each month.
create table import_job_line (
  job_id uuid not null references import_job (id),
  line integer not null,
  key text collate "C",
  claims_key boolean not null default false,
  state text not null check (state in ('staged', 'succeeded', 'failed', 'quarantined')),
  number text,
  errors jsonb,
  warnings jsonb,
  errors_omitted integer,
  warnings_omitted integer,
  revision integer,
  primary key (job_id, line)
) partition by range (job_id);
create table by_month.import_job_line_other partition of import_job_line default with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
create unique index import_job_line_key on import_job_line (key, job_id) where claims_key;
create index import_job_line_quarantined on import_job_line (job_id, line) where state = 'quarantined';
create index import_job_line_other_key on import_job_line (key, job_id, line) where not claims_key;

-- A code at a place of the record (violation or warning), with the number of records that have it.
create table import_job_cause (
  job_id uuid not null references import_job (id),
  code text collate "C" not null,
  place text collate "C" not null,
  is_warning boolean not null,
  records integer not null,
  alone integer not null,
  example_line integer not null,
  example_value text,
  primary key (job_id, code, place, is_warning)
) with (fillfactor = 70);
create index import_job_cause_code on import_job_cause (code, job_id) where not is_warning;

-- What a job, or all jobs of a wave, are expected to contain by the supplier's own count (docs/suppliers/proof.md).
create table manifest (
  id uuid primary key,
  import_job_id uuid unique references import_job (id),
  wave_id uuid unique references wave (id),
  body jsonb not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  received_at timestamptz not null default now(),
  -- The differences that an operator accepted.
  accepted_differences jsonb,
  accepted_by text,
  accepted_reason text,
  accepted_at timestamptz,
  check ((import_job_id is null) <> (wave_id is null)),
  check ((accepted_differences is null) = (accepted_at is null) and (accepted_by is null) = (accepted_at is null) and (accepted_reason is null) = (accepted_at is null))
);

-- The totals of the records of a job, in the transactions that process them.
create table import_job_totals (
  job_id uuid primary key references import_job (id),
  -- Of jobs that import without validating all lines first: the last page, and the number of lines, whose records are in `received`.
  counted_page integer not null default 0,
  counted integer not null default 0,
  received jsonb,
  accepted jsonb
) with (fillfactor = 50);

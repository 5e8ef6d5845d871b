-- Reconciliations: comparisons of stored with accepted data.

-- A comparison of stored with accepted data.
create table reconciliation (
  id uuid primary key,
  import_supplier text collate "C" not null references import_supplier (code),
  import_job_id uuid references import_job (id),
  organisation text,
  status text not null default 'RUNNING' check (status in ('RUNNING', 'COMPLETED', 'CANCELLED')),
  subject text not null default 'account' check (subject in ('account', 'business')),
  position text collate "C" not null default '',
  tally jsonb not null,
  listed integer not null default 0,
  -- The manifests that the certificate cites, as they were at the end.
  manifests jsonb,
  version text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((status = 'RUNNING') = (ended_at is null))
) with (fillfactor = 50);
create index reconciliation_of_job on reconciliation (import_job_id, id) where import_job_id is not null;
create unique index reconciliation_running on reconciliation (import_supplier, COALESCE(import_job_id, '00000000-0000-0000-0000-000000000000'::uuid), COALESCE(organisation, '')) where status = 'RUNNING';
create index reconciliation_of_supplier on reconciliation (import_supplier, ended_at);

-- A difference that a reconciliation found.
create table reconciliation_difference (
  reconciliation_id uuid not null references reconciliation (id),
  number integer not null,
  subject text not null check (subject in ('account', 'business', 'payment_instruction')),
  key text not null,
  path text not null,
  kind text not null check (kind in ('changed', 'missing', 'extra')),
  table_name text not null,
  column_name text,
  reason text check (reason in ('note_added', 'statement_added', 'payment_instruction_verified', 'payment_instruction_replaced', 'note_pin_changed', 'transaction_moved')),
  vendor_answer text,
  primary key (reconciliation_id, number)
);
create index reconciliation_difference_unexplained on reconciliation_difference (reconciliation_id, number) where reason is null;
create index reconciliation_difference_explained on reconciliation_difference (reconciliation_id, number) where reason is not null;

-- The order of lists and fields in stored payload hashes; one row per payload format.
create table field_hash_layout (
  id integer generated always as identity primary key,
  layout text not null unique
);

-- Staged accounts, the concurrency limit of creations, and counts.

-- A staged account: its latest payload, unless retention has deleted it, and whether the account was imported, skipped or rejected.
create table import_process (
  id uuid primary key,
  import_supplier text collate "C" not null references import_supplier (code),
  external_account_number text collate "C" not null check (char_length(external_account_number) between 1 and 128),
  payload jsonb storage external,
  phone_numbers jsonb,
  payload_hash bytea not null,
  validated_with text not null,
  revision integer not null default 1 check (revision > 0),
  staged_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  imported_at timestamptz,
  withdrawn_at timestamptz,
  skipped_at timestamptz,
  skip_reason text,
  refusal jsonb,
  workflow_id text,
  document_root text,
  counted boolean not null default false,
  payload_deleted_at timestamptz,
  field_hashes bytea,
  field_hash_layout_id integer,
  unique (import_supplier, external_account_number)
);
create index import_process_pending on import_process (import_supplier, external_account_number) where imported_at is null;
create index import_process_contract_label on import_process (import_supplier, (((payload -> 'business') ->> 'business_contract_identifier')) collate "C") where imported_at is null and ((((payload -> 'business') ->> 'business_contract_identifier') collate "C") <> '');
create index import_process_refused on import_process (import_supplier, external_account_number) where imported_at is null and refusal is not null;
create index import_process_skipped on import_process (import_supplier, external_account_number) where imported_at is null and skipped_at is not null;
create index import_process_quarantined on import_process (import_supplier, external_account_number) where workflow_id is not null;
create index import_process_payload_kept on import_process (imported_at) where imported_at is not null and payload_deleted_at is null;
create trigger count_deleted after delete on import_process referencing old table as before_rows for each statement
  execute function count_deleted_accounts();
create trigger count_held_up after update on import_process for each row
  when ( case when old.imported_at is not null then 0 when old.skipped_at is not null then 1 when old.workflow_id is not null then 2 when old.refusal is not null then 3 else 0 end <> case when new.imported_at is not null then 0 when new.skipped_at is not null then 1 when new.workflow_id is not null then 2 when new.refusal is not null then 3 else 0 end)
  execute function count_changed_account();
create trigger count_staged after insert on import_process for each row
  when (not new.counted)
  execute function count_staged_account();
create trigger import_process_payload_replaced after update of payload on import_process for each row
  when (old.payload_hash <> new.payload_hash)
  execute function keep_replaced_payload();

-- A revision of a staged account: when it was staged, and the hash of its payload; the payload itself only after another revision has
-- replaced it.
create table import_process_revision (
  import_process_id uuid not null references import_process (id),
  revision integer not null,
  payload_hash bytea not null,
  staged_at timestamptz not null default now(),
  payload jsonb,
  primary key (import_process_id, revision)
);

-- A creation in progress while the concurrency limit is on; deleted by the transaction that creates or rejects the account.
create table creation_slot (
  creation_id uuid primary key,
  import_process_id uuid references import_process (id),
  workflow_id text collate "C",
  taken_at timestamptz not null default now(),
  import_supplier text collate "C"
);
create index creation_slot_taken on creation_slot (taken_at);

-- An import supplier that was rejected with 429 and is expected to retry; the next free slot may be reserved for it.
create table creation_slot_wait (
  import_supplier text collate "C" primary key,
  since timestamptz not null,
  asked_at timestamptz not null
) with (fillfactor = 50);

-- The number of accounts of an import supplier in a state, without the changes in account_count_change.
create table account_count (
  import_supplier text collate "C" not null,
  state text collate "C" not null,
  count bigint not null,
  primary key (import_supplier, state)
) with (fillfactor = 50);

-- A change of a count that is not yet folded into account_count.
create table account_count_change (
  id bigint generated always as identity primary key,
  import_supplier text collate "C" not null,
  state text collate "C" not null,
  change integer not null,
  changed_at timestamptz not null default now()
);

-- The number of accounts of an import supplier that came into a state on a day in France; kept for some weeks.
create table account_day (
  day date not null,
  import_supplier text collate "C" not null,
  state text not null check (state in ('known', 'refused', 'created', 'COMPLETED')),
  count bigint not null,
  primary key (import_supplier, day, state)
) with (fillfactor = 50);

-- The number of accounts of an import supplier that entered a state in a minute; kept for a day.
create table count_minute (
  minute timestamptz not null,
  import_supplier text collate "C" not null,
  state text collate "C" not null,
  entered integer not null,
  primary key (minute, import_supplier, state)
) with (fillfactor = 50);

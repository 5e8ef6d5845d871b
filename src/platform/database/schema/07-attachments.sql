-- Notes, transactions and statements of an account. `import_job_id` is the job whose line added the row; null for single requests and for rows
-- of the creation.

-- A note on an account. Its fingerprint is the hash of the body, or of the document paths if there is no body.
create table note (
  account_id uuid not null references account (id),
  position integer not null check (position >= 0),
  body text,
  created_at timestamptz not null,
  is_pinned boolean not null default false,
  unpin_at timestamptz,
  fingerprint bytea not null,
  import_job_id uuid,
  primary key (account_id, position)
);
create index note_by_fingerprint on note (account_id, fingerprint);

-- A document attached to a note.
create table note_document (
  account_id uuid not null,
  position integer not null check (position >= 0),
  note_position integer not null,
  document_path text not null,
  document_root text,
  primary key (account_id, position),
  foreign key (account_id, note_position) references note (account_id, position)
);

-- A transaction on an account. `transaction_date` may have been moved into the open statement period; `sent` never changes.
create table transaction (
  account_id uuid not null references account (id),
  position integer not null check (position >= 0),
  transaction_id text collate "C" not null,
  transaction_date date not null,
  amount numeric not null check (scale(amount) <= 2),
  type text not null check (type in ('CHARGE', 'CREDIT', 'PAYMENT', 'REPAYMENT', 'SUPPLY_CHARGE')),
  reason text,
  display_note text,
  note text,
  reference text,
  payment_type text,
  product_code text,
  description text,
  sent jsonb not null check (jsonb_typeof(sent) = 'object'),
  created_at timestamptz not null default now(),
  import_job_id uuid,
  primary key (account_id, position),
  check ((type not in ('PAYMENT', 'REPAYMENT')) or (amount > (0)::numeric))
);
create index transaction_by_id on transaction (account_id, transaction_id);

-- A line of a supply charge; both ends of its period are inclusive.
create table transaction_line_item (
  account_id uuid not null,
  position integer not null check (position >= 0),
  transaction_position integer not null,
  start_date date not null,
  end_date date not null,
  number_of_units numeric not null,
  net_amount numeric not null,
  price_per_unit numeric,
  rate_band text,
  units numeric[],
  primary key (account_id, position),
  foreign key (account_id, transaction_position) references transaction (account_id, position),
  check (start_date <= end_date)
);

-- A tax on a supply charge.
create table transaction_tax_item (
  account_id uuid not null,
  position integer not null check (position >= 0),
  transaction_position integer not null,
  amount numeric not null,
  tax_type text not null,
  value_taxed numeric,
  rate numeric,
  unit_type text,
  primary key (account_id, position),
  foreign key (account_id, transaction_position) references transaction (account_id, position)
);

-- A statement of an account; both ends of its period are inclusive.
create table statement (
  account_id uuid not null references account (id),
  position integer not null check (position >= 0),
  statement_id text not null,
  bill_period_from_date date not null,
  bill_period_to_date date not null,
  statement_path text,
  created_at timestamptz not null default now(),
  issued_date date,
  number text,
  gross_amount numeric,
  document_root text,
  accepted_hashes bytea,
  import_job_id uuid,
  primary key (account_id, position),
  unique (account_id, statement_id),
  check (bill_period_from_date <= bill_period_to_date)
);

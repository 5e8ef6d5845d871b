-- Payment instructions and their verification.

-- A verification at a payment vendor and its outcome. It stores the reference, so that workflows need not contain it.
create table payment_verification (
  id uuid primary key,
  account_id uuid not null references account (id),
  workflow_id text collate "C" not null,
  vendor text not null check (vendor in ('GOCARDLESS', 'STRIPE', 'SLIMPAY', 'ADYEN')),
  type text not null check (type in ('CARD', 'DIRECT_DEBIT')),
  reference text not null,
  requested_at timestamptz not null default clock_timestamp(),
  outcome text check (outcome in ('verified', 'rejected', 'unreachable')),
  reason text,
  completed_at timestamptz,
  point_position integer,
  api_key_id uuid references api_key (id),
  is_of_job boolean not null default false,
  import_job_id uuid,
  constraint payment_verification_point foreign key (account_id, point_position) references account_supply_point (account_id, position),
  check ((outcome is null) = (completed_at is null))
);
create unique index payment_verification_open on payment_verification (workflow_id) where outcome is null;
create index payment_verification_of_workflow on payment_verification (workflow_id, requested_at);
create index payment_verification_of_account on payment_verification (account_id);
create index payment_verification_of_key on payment_verification (api_key_id, is_of_job, requested_at);
create index payment_verification_refused_of_key on payment_verification (api_key_id, is_of_job, completed_at) where outcome = 'rejected';

-- A mandate or card at a payment vendor, from the account payload or verified by operation 7. Valid until it is replaced.
create table payment_instruction (
  account_id uuid not null references account (id),
  position integer not null check (position >= 0),
  point_position integer,
  vendor text not null,
  reference text not null,
  type text not null,
  valid_from date,
  created_at timestamptz not null default now(),
  verification_id uuid unique references payment_verification (id),
  verified_at timestamptz,
  replaced_at timestamptz,
  primary key (account_id, position),
  foreign key (account_id, point_position) references account_supply_point (account_id, position),
  constraint payment_instruction_verified check ((verification_id is null) = (verified_at is null))
);
create unique index payment_instruction_in_force on payment_instruction (account_id, type, COALESCE(point_position, '-1'::integer)) where verified_at is not null and replaced_at is null;
create index payment_instruction_of_reference on payment_instruction (hashtextextended(reference, (0)::bigint)) where replaced_at is null;

-- The preferred payment of a supply point.
create table payment_preference (
  account_id uuid not null,
  position integer not null check (position >= 0),
  point_position integer not null,
  type text not null check (type in ('ACTIVE_EXISTING', 'ACTIVE_NEW', 'PASSIVE')),
  vendor_name text,
  vendor_reference text,
  primary key (account_id, position),
  unique (account_id, point_position),
  foreign key (account_id, point_position) references account_supply_point (account_id, position),
  check ((type = 'PASSIVE') = (vendor_name is null and vendor_reference is null))
);

-- Time until which the circuit breaker of a payment vendor is open, written by the workers that call it.
create table payment_vendor_rest (
  vendor text primary key check (vendor in ('GOCARDLESS', 'STRIPE', 'SLIMPAY', 'ADYEN')),
  ends_at timestamptz not null
);

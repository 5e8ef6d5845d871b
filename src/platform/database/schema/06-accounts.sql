-- Accounts and everything that is created with them.

-- The serial of the next account number, within the range of number_mark.
create sequence account_number_sequence;

-- An account of the platform, created from one import process.
create table account (
  id uuid primary key,
  number text collate "C" not null default account_number(next_account_serial()) unique,
  creation_id uuid not null unique,
  import_process_id uuid not null unique references import_process (id),
  import_supplier text collate "C" not null references import_supplier (code),
  external_account_number text collate "C" not null,
  operations_team text collate "C" not null references operations_team (name),
  account_type text not null check (account_type in ('DOMESTIC', 'DOMESTIC_VACANT', 'DOMESTIC_OCCUPIER', 'BUSINESS', 'BUSINESS_VACANT', 'BUSINESS_OCCUPIER', 'PORTFOLIO_LEAD')),
  unknown_occupier boolean not null,
  business_type text,
  siret text,
  business_contract_identifier text,
  billing_address1 text,
  billing_address2 text,
  billing_address3 text,
  billing_address4 text,
  billing_postcode text,
  sales_channel text,
  sales_subchannel text,
  last_billed_to_date date,
  switch_status text not null default 'PENDING' check (switch_status in ('PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED')),
  created_at timestamptz not null default now(),
  business_contract_id uuid,
  -- The end of the time in which its wave holds switches, so that a withdrawal meets no obstacle.
  switch_not_before timestamptz,
  unique (import_supplier, external_account_number),
  foreign key (business_contract_id, import_supplier) references business_contract (id, import_supplier)
);
create index account_of_business_contract on account (business_contract_id, external_account_number) where business_contract_id is not null;
create index account_switch_status on account (switch_status collate "C", import_supplier, external_account_number);
create trigger count_created after insert on account referencing new table as after_rows for each statement
  execute function count_new_accounts();
create trigger count_withdrawn after delete on account referencing old table as before_rows for each statement
  execute function count_deleted_accounts();
create trigger count_switched after update on account for each row
  when (old.switch_status is distinct from new.switch_status)
  execute function count_changed_account();

-- A person of an account; phone numbers as sent and in E.164.
create table customer (
  account_id uuid not null references account (id),
  position integer not null check (position >= 0),
  title text,
  given_name text,
  family_name text,
  email text,
  mobile text,
  mobile_e164 text,
  landline text,
  landline_e164 text,
  date_of_birth date,
  deceased text,
  opted_into_updates boolean,
  opted_into_sms boolean,
  opted_into_offers boolean,
  opted_into_recommended boolean,
  primary key (account_id, position)
);
create index customer_name on customer (fold_name(family_name) collate "C", fold_name(coalesce(given_name, '')) collate "C") where family_name is not null;
create index customer_email on customer (lower(email) collate "C") where email is not null;
create index customer_mobile on customer (mobile_e164) where mobile_e164 is not null;
create index customer_landline on customer (landline_e164) where landline_e164 is not null;

-- An address at which an account is supplied.
create table supply_address (
  account_id uuid not null references account (id),
  position integer not null check (position >= 0),
  supply_address1 text,
  supply_address2 text,
  supply_address3 text,
  supply_address4 text,
  supply_postcode text,
  customer_at_supply_address_from_date date not null,
  primary key (account_id, position)
);

-- A supply point of an account at one of its addresses, with the state of its switch.
create table account_supply_point (
  account_id uuid not null,
  position integer not null check (position >= 0),
  address_position integer not null,
  supply_point_id uuid not null references supply_point (id),
  supply_start_date date not null,
  billing_frequency integer check (billing_frequency between 1 and 12),
  consent_data jsonb not null,
  switch_status text not null default 'PENDING' check (switch_status in ('PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED')),
  switch_round integer not null default 1 check (switch_round > 0),
  held_since timestamptz,
  released_at timestamptz,
  primary key (account_id, position),
  unique (supply_point_id, account_id),
  foreign key (account_id, address_position) references supply_address (account_id, position),
  constraint account_supply_point_released check (released_at is null or held_since is not null)
);
create index account_supply_point_held on account_supply_point (held_since) where held_since is not null and released_at is null and switch_status = 'PENDING';

-- A tariff agreed for a supply point; `effective_to` is exclusive.
create table agreement (
  account_id uuid not null,
  position integer not null check (position >= 0),
  point_position integer not null,
  tariff_code text not null,
  agreed_at timestamptz,
  effective_from date not null,
  effective_to date,
  primary key (account_id, position),
  foreign key (account_id, point_position) references account_supply_point (account_id, position),
  check (effective_to > effective_from)
);
create index agreement_of_point on agreement (account_id, point_position);
create index agreement_of_tariff on agreement (tariff_code collate "C", account_id);

-- An add-on of an agreement.
create table agreement_addon (
  account_id uuid not null,
  position integer not null check (position >= 0),
  agreement_position integer not null,
  band text not null,
  primary key (account_id, position),
  foreign key (account_id, agreement_position) references agreement (account_id, position)
);

-- Frequency and amount of payments. Ends on the day before the next schedule of the same point starts. The API validates means and frequency,
-- because operators can open these value sets for a supplier.
create table payment_schedule (
  account_id uuid not null,
  position integer not null check (position >= 0),
  point_position integer not null,
  means text not null,
  frequency text,
  start_date date not null,
  day_of_month integer check (day_of_month between 1 and 31),
  amount numeric check (amount <> (0)::numeric),
  primary key (account_id, position),
  foreign key (account_id, point_position) references account_supply_point (account_id, position)
);

-- A key and value of the business in an account payload.
create table account_business_detail (
  account_id uuid not null references account (id),
  position integer not null check (position >= 0),
  key text not null,
  value text not null,
  primary key (account_id, position),
  unique (account_id, key)
);

-- A contract in an account payload.
create table account_contract (
  account_id uuid not null references account (id),
  position integer not null check (position >= 0),
  identifier text not null,
  valid_from_date date not null,
  signed_at_date date,
  primary key (account_id, position),
  unique (account_id, identifier)
);

-- A version of an account contract.
create table account_contract_version (
  account_id uuid not null,
  position integer not null check (position >= 0),
  contract_position integer not null,
  applicable_at_date date not null,
  primary key (account_id, position),
  unique (account_id, contract_position, applicable_at_date),
  foreign key (account_id, contract_position) references account_contract (account_id, position)
);

-- A term of an account contract version; `content` is the term as sent.
create table account_contract_term (
  account_id uuid not null,
  position integer not null check (position >= 0),
  version_position integer not null,
  term_type text not null,
  content jsonb not null,
  primary key (account_id, position),
  foreign key (account_id, version_position) references account_contract_version (account_id, position)
);

-- A campaign to which an account belongs.
create table account_campaign (
  account_id uuid not null references account (id),
  position integer not null check (position >= 0),
  slug text not null,
  campaign_note text,
  primary key (account_id, position),
  unique (account_id, slug)
);

-- A key and value that the supplier attached to an account.
create table account_metadata (
  account_id uuid not null references account (id),
  position integer not null check (position >= 0),
  key text not null,
  value jsonb not null,
  primary key (account_id, position)
);
create unique index account_metadata_key on account_metadata (account_id, md5(key));

-- A supplementary ledger of an account.
create table ledger (
  account_id uuid not null references account (id),
  position integer not null check (position >= 0),
  ledger_code text not null,
  primary key (account_id, position),
  unique (account_id, ledger_code)
);

-- An energy cheque in a supplementary ledger.
create table energy_cheque (
  account_id uuid not null,
  position integer not null check (position >= 0),
  ledger_position integer not null,
  number text not null,
  amount bigint not null check (amount >= 0),
  protection_from date,
  protection_to date,
  valid_to date,
  source text,
  status text,
  asp_remittance_ref text,
  primary key (account_id, position),
  foreign key (account_id, ledger_position) references ledger (account_id, position)
);

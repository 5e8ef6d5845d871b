import { Migration } from '@mikro-orm/migrations';

/** Accounts and every part of their payload in a table of its own; children are keyed (account_id, position). */
export class M003Accounts extends Migration {
  override async up(): Promise<void> {
    for (const statement of [
      ...ACCOUNT_NUMBER,
      ACCOUNT,
      ...PEOPLE_AND_LABELS,
      ...SUPPLY,
      ...PAYMENT,
      ...HISTORY,
      ...CONTRACTS,
    ]) {
      this.addSql(statement);
    }
  }
}

/** `account_id` and `position`, the key of all that belongs to an account. */
const KEY = `
  account_id uuid not null,
  position integer not null check (position >= 0),
  primary key (account_id, position)`;

const CHILD = `${KEY},
  foreign key (account_id) references account (id)`;

/** A row below a child: its foreign key leads to the child, and by way of it to the account. */
function below(table: string, column: string): string {
  return `${KEY},
  ${column} integer not null,
  foreign key (account_id, ${column}) references ${table} (account_id, position)`;
}

const POINT_CHILD = below('account_supply_point', 'point_position');

const ACCOUNT_NUMBER = [
  'create sequence account_number_sequence',
  // A fixed permutation of 40 bits (odd multipliers and xor-shifts are reversible), so that numbers never repeat and do
  // not tell how many accounts there are; 8 characters of 5 bits without 0 O 1 I, then a check character that sums the
  // characters with odd weights modulo 32, which notices each single wrong character.
  `create function account_number(serial bigint) returns text language plpgsql immutable strict as $$
   declare
     alphabet constant text := '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
     mask constant bigint := (1::bigint << 40) - 1;
     mixed bigint := serial & ((1::bigint << 40) - 1);
     digit integer;
     total integer := 0;
     number text := '';
   begin
     mixed := (mixed * 7368787) & mask;
     mixed := mixed # (mixed >> 21);
     mixed := (mixed * 5308417) & mask;
     mixed := mixed # (mixed >> 17);
     for place in 0..7 loop
       digit := ((mixed >> (5 * place)) & 31)::integer;
       number := number || substr(alphabet, digit + 1, 1);
       total := total + digit * (2 * place + 1);
     end loop;
     return 'A-' || number || substr(alphabet, (total % 32) + 1, 1);
   end $$`,
];

const ACCOUNT = `
  create table account (
    id uuid primary key,
    number text collate "C" not null unique default account_number(nextval('account_number_sequence')),
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
    billing_address1 text, billing_address2 text, billing_address3 text, billing_address4 text, billing_postcode text,
    sales_channel text,
    sales_subchannel text,
    last_billed_to_date date,
    switch_status text not null default 'PENDING' check (switch_status in ('PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED')),
    created_at timestamptz not null default now(),
    unique (import_supplier, external_account_number)
  )`;

const PEOPLE_AND_LABELS = [
  `create table customer (${CHILD},
    title text, given_name text, family_name text, email text,
    mobile text, mobile_e164 text, landline text, landline_e164 text,
    date_of_birth date, deceased text,
    opted_into_updates boolean, opted_into_sms boolean, opted_into_offers boolean, opted_into_recommended boolean)`,
  `create table account_business_detail (${CHILD}, key text not null, value text not null, unique (account_id, key))`,
  `create table account_campaign (${CHILD}, slug text not null, campaign_note text, unique (account_id, slug))`,
  `create table account_metadata (${CHILD}, key text not null, value jsonb not null)`,
  // By the hash: a key of 1,024 characters can be longer than an index takes.
  'create unique index account_metadata_key on account_metadata (account_id, md5(key))',
];

const SUPPLY = [
  `create table supply_point (
    id uuid primary key default gen_random_uuid(),
    supply_type text not null check (supply_type in ('ELECTRICITY', 'GAS')),
    identifier text collate "C" not null,
    created_at timestamptz not null default now(),
    unique (supply_type, identifier))`,
  `create table supply_address (${CHILD},
    supply_address1 text, supply_address2 text, supply_address3 text, supply_address4 text, supply_postcode text,
    customer_at_supply_address_from_date date not null)`,
  `create table account_supply_point (${below('supply_address', 'address_position')},
    supply_point_id uuid not null references supply_point (id),
    supply_start_date date not null,
    billing_frequency integer check (billing_frequency between 1 and 12),
    consent_data jsonb not null,
    unique (account_id, supply_point_id))`,
  'create index account_supply_point_of_point on account_supply_point (supply_point_id)',
  `create table agreement (${POINT_CHILD},
    tariff_code text not null, agreed_at timestamptz, effective_from date not null, effective_to date,
    check (effective_to > effective_from))`,
  `create table agreement_addon (${below('agreement', 'agreement_position')},
    band text not null)`,
];

const PAYMENT = [
  `create table payment_schedule (${POINT_CHILD},
    means text not null check (means in ('DD', 'CARD', 'MANUAL', 'PAYMENT_SLIP')),
    frequency text check (frequency in ('WEEKLY', 'FORTNIGHTLY', 'FOUR_WEEKLY', 'MONTHLY', 'QUARTERLY', 'SIX_MONTHLY', 'ANNUALLY')),
    start_date date not null, day_of_month integer check (day_of_month between 1 and 31),
    amount numeric check (amount <> 0))`,
  `create table payment_instruction (${CHILD},
    point_position integer,
    foreign key (account_id, point_position) references account_supply_point (account_id, position),
    vendor text not null, reference text not null, type text not null, valid_from date,
    created_at timestamptz not null default now())`,
  `create table payment_preference (${POINT_CHILD},
    type text not null check (type in ('ACTIVE_EXISTING', 'ACTIVE_NEW', 'PASSIVE')),
    vendor_name text, vendor_reference text,
    check ((type = 'PASSIVE') = (vendor_name is null and vendor_reference is null)),
    unique (account_id, point_position))`,
];

const HISTORY = [
  `create table statement (${CHILD},
    statement_id text not null, bill_period_from_date date not null, bill_period_to_date date not null,
    statement_path text, created_at timestamptz not null default now(),
    check (bill_period_from_date <= bill_period_to_date), unique (account_id, statement_id))`,
  `create table ledger (${CHILD}, ledger_code text not null, unique (account_id, ledger_code))`,
  `create table energy_cheque (${below('ledger', 'ledger_position')},
    number text not null, amount bigint not null check (amount >= 0),
    protection_from date, protection_to date, valid_to date, source text, status text, asp_remittance_ref text)`,
  `create table note (${CHILD},
    body text, created_at timestamptz not null, is_pinned boolean not null default false, unpin_at timestamptz,
    fingerprint bytea not null)`,
  `create table note_document (${below('note', 'note_position')},
    document_path text not null)`,
];

const CONTRACTS = [
  `create table account_contract (${CHILD},
    identifier text not null, valid_from_date date not null, signed_at_date date, unique (account_id, identifier))`,
  `create table account_contract_version (${below('account_contract', 'contract_position')},
    applicable_at_date date not null, unique (account_id, contract_position, applicable_at_date))`,
  `create table account_contract_term (${below('account_contract_version', 'version_position')},
    term_type text not null, content jsonb not null)`,
];

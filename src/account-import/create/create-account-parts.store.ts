import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';

/**
 * Rows below an account. Postgres writes them from the staged jsonb, so that payloads are not transferred: one statement per batch with one
 * insert per table. Each payload is expanded once, because every access to a stored jsonb reads it again.
 * Positions follow the payload's order. Optional strings may be empty, which counts as absent, hence the nullif; optional dates are read as
 * text for the same reason. Every insert sorts its rows by key, so that concurrent transactions lock in the same order.
 */
interface Insert {
  table: string;
  columns: string;
  /** Selects the rows in column order; the first two columns are the key. */
  select: string;
}

/**
 * SQL of the staged row with an id, for a lateral join. Postgres estimates a thousand accounts per batch, so that it may plan a plain join
 * as a scan of all staged rows.
 */
export const stagedSql = (id: string): string =>
  `select s.id, s.import_supplier, s.external_account_number, s.payload, s.phone_numbers, s.document_root from import_process s where s.id = ${id} offset 0`;

/** The batch: import process ids and account ids, two arrays of equal length. */
const BATCH = `batch as materialized (
  select b.account_id, p.phone_numbers, p.document_root, d.*
  from unnest($1::uuid[], $2::uuid[]) as b (process_id, account_id)
    cross join lateral (${stagedSql('b.process_id')}) p,
    jsonb_to_record(p.payload) as d (business jsonb, customers jsonb, supply_addresses jsonb, statements jsonb, supplementary_ledgers jsonb, notes jsonb,
      account_campaigns jsonb, metadata jsonb, account_contracts jsonb, payment_preferences jsonb))`;

const ADDRESSES = `address as materialized (
  select b.account_id, a.n - 1 as position, a.*
  from batch b, rows from (jsonb_to_recordset(b.supply_addresses) as (supply_address1 text, supply_address2 text, supply_address3 text, supply_address4 text,
    supply_postcode text, customer_at_supply_address_from_date date, supply_points jsonb))
    with ordinality as a (line1, line2, line3, line4, postcode, from_date, supply_points, n))`;

/** Supply points with their position in the account, counted across all addresses. */
const POINTS = `point as materialized (
  select a.account_id, a.position as address_position, row_number() over (partition by a.account_id order by a.position, s.n) - 1 as position, s.*
  from address a, rows from (jsonb_to_recordset(a.supply_points) as (identifier text, supply_type text, supply_start_date date, billing_frequency integer,
    consent_data jsonb, agreements jsonb, payment_schedules jsonb, payment_instructions jsonb)) with ordinality
    as s (identifier, supply_type, supply_start_date, billing_frequency, consent_data, agreements, payment_schedules, payment_instructions, n))`;

const AGREEMENTS = `agreed as materialized (
  select s.account_id, row_number() over (partition by s.account_id order by s.position, g.n) - 1 as position, s.position as point_position, g.*
  from point s, rows from (jsonb_to_recordset(s.agreements) as (tariff_code text, agreed_at text, effective_from date, effective_to text, addons jsonb))
    with ordinality as g (tariff_code, agreed_at, effective_from, effective_to, addons, n))`;

const LEDGERS = `book as materialized (
  select b.account_id, l.n - 1 as position, l.*
  from batch b, rows from (jsonb_to_recordset(b.supplementary_ledgers) as (ledger_code text, energy_cheques jsonb))
    with ordinality as l (ledger_code, energy_cheques, n))`;

const NOTES = `said as materialized (
  select b.account_id, b.document_root, t.n - 1 as position, nullif(t.body, '') as body, coalesce(nullif(t.created_at, '')::timestamptz, now()) as created_at, t.document_paths,
    (select string_agg(ltrim(d ->> 'document_path', '/'), E'\\n' order by ltrim(d ->> 'document_path', '/') collate "C") from jsonb_array_elements(t.document_paths) d) as paths
  from batch b, rows from (jsonb_to_recordset(b.notes) as (body text, created_at text, document_paths jsonb))
    with ordinality as t (body, created_at, document_paths, n))`;

const CONTRACTS = `contract as materialized (
  select b.account_id, c.n - 1 as position, c.*
  from batch b, rows from (jsonb_to_recordset(b.account_contracts) as (identifier text, valid_from_date date, signed_at_date text, versions jsonb))
    with ordinality as c (identifier, valid_from_date, signed_at_date, versions, n)),
version as materialized (
  select c.account_id, row_number() over (partition by c.account_id order by c.position, v.n) - 1 as position, c.position as contract_position, v.*
  from contract c, rows from (jsonb_to_recordset(c.versions) as (applicable_at_date date, terms jsonb)) with ordinality as v (applicable_at_date, terms, n))`;

const PEOPLE_AND_LABELS: Insert[] = [
  {
    table: 'customer',
    columns: `title, given_name, family_name, email, mobile, mobile_e164, landline, landline_e164, date_of_birth, deceased,
      opted_into_updates, opted_into_sms, opted_into_offers, opted_into_recommended`,
    select: `select b.account_id, c.n - 1, nullif(c.title, ''), nullif(c.given_name, ''), nullif(c.family_name, ''), nullif(c.email, ''),
        nullif(c.mobile, ''), c.mobile_e164, nullif(c.landline, ''), c.landline_e164, nullif(c.date_of_birth, '')::date, nullif(c.deceased, ''),
        (c.preferences ->> 'opted_into_updates')::boolean, (c.preferences ->> 'opted_into_sms')::boolean,
        (c.preferences ->> 'opted_into_offers')::boolean, (c.preferences ->> 'opted_into_recommended')::boolean
      from batch b, rows from (
        jsonb_to_recordset(b.customers) as (title text, given_name text, family_name text, email text, mobile text, landline text,
          date_of_birth text, deceased text, customer_preferences jsonb),
        jsonb_to_recordset(b.phone_numbers) as (mobile text, landline text)
      ) with ordinality as c (title, given_name, family_name, email, mobile, landline, date_of_birth, deceased, preferences, mobile_e164, landline_e164, n)`,
  },
  {
    table: 'account_business_detail',
    columns: 'key, value',
    select: `select b.account_id, d.n - 1, d.key, d.value
      from batch b, rows from (jsonb_to_recordset(b.business -> 'details') as (key text, value text)) with ordinality as d (key, value, n)`,
  },
  {
    table: 'account_campaign',
    columns: 'slug, campaign_note',
    select: `select b.account_id, c.n - 1, c.slug, nullif(c.campaign_note, '')
      from batch b, rows from (jsonb_to_recordset(b.account_campaigns) as (slug text, campaign_note text)) with ordinality as c (slug, campaign_note, n)`,
  },
  {
    table: 'account_metadata',
    columns: 'key, value',
    select: `select b.account_id, m.n - 1, m.key, m.value
      from batch b, rows from (jsonb_to_recordset(b.metadata) as (key text, value jsonb)) with ordinality as m (key, value, n)`,
  },
];

const SUPPLY: Insert[] = [
  {
    table: 'supply_address',
    columns:
      'supply_address1, supply_address2, supply_address3, supply_address4, supply_postcode, customer_at_supply_address_from_date',
    select: `select account_id, position, nullif(line1, ''), nullif(line2, ''), nullif(line3, ''), nullif(line4, ''), nullif(postcode, ''), from_date from address`,
  },
  {
    table: 'account_supply_point',
    columns: 'address_position, supply_point_id, supply_start_date, billing_frequency, consent_data',
    // A subquery instead of a join: the planner overestimates the points and would scan the whole table.
    select: `select s.account_id, s.position, s.address_position,
        (select m.id from supply_point m where m.supply_type = s.supply_type and m.identifier = s.identifier),
        s.supply_start_date, s.billing_frequency, coalesce(s.consent_data, '{}') from point s`,
  },
  {
    table: 'agreement',
    columns: 'point_position, tariff_code, agreed_at, effective_from, effective_to',
    select: `select account_id, position, point_position, tariff_code, nullif(agreed_at, '')::timestamptz, effective_from, nullif(effective_to, '')::date from agreed`,
  },
  {
    table: 'agreement_addon',
    columns: 'agreement_position, band',
    select: `select g.account_id, row_number() over (partition by g.account_id order by g.position, a.n) - 1, g.position, a.band
      from agreed g, rows from (jsonb_to_recordset(g.addons) as (band text)) with ordinality as a (band, n)`,
  },
];

const PAYMENT: Insert[] = [
  {
    table: 'payment_schedule',
    columns: 'point_position, means, frequency, start_date, day_of_month, amount',
    select: `select s.account_id, row_number() over (partition by s.account_id order by s.position, h.n) - 1, s.position,
        h.means, nullif(h.frequency, ''), h.start_date, h.day_of_month, nullif(h.amount, '')::numeric
      from point s, rows from (jsonb_to_recordset(s.payment_schedules) as (means text, frequency text, start_date date, day_of_month integer, amount text))
        with ordinality as h (means, frequency, start_date, day_of_month, amount, n)`,
  },
  {
    table: 'payment_instruction',
    columns: 'point_position, vendor, reference, type, valid_from',
    select: `select s.account_id, row_number() over (partition by s.account_id order by s.position, i.n) - 1, s.position,
        i.vendor, i.reference, i.type, nullif(i.valid_from, '')::date
      from point s, rows from (jsonb_to_recordset(s.payment_instructions) as (vendor text, reference text, type text, valid_from text))
        with ordinality as i (vendor, reference, type, valid_from, n)`,
  },
  {
    table: 'payment_preference',
    columns: 'point_position, type, vendor_name, vendor_reference',
    select: `select b.account_id, f.n - 1, s.position, f.type, f.params ->> 'vendor_name', f.params ->> 'vendor_reference'
      from batch b
        cross join rows from (jsonb_to_recordset(b.payment_preferences) as (type text, supply_point_identifier text, instruction_reference_params jsonb))
          with ordinality as f (type, identifier, params, n)
        join point s on s.account_id = b.account_id and s.identifier = f.identifier`,
  },
];

const HISTORY: Insert[] = [
  {
    table: 'statement',
    columns: 'statement_id, bill_period_from_date, bill_period_to_date, statement_path, document_root',
    select: `select b.account_id, s.n - 1, s.statement_id, s.from_date, s.to_date, nullif(ltrim(s.path, '/'), ''), case when ltrim(s.path, '/') <> '' then b.document_root end
      from batch b, rows from (jsonb_to_recordset(b.statements) as (statement_id text, bill_period_from_date date, bill_period_to_date date, statement_path text))
        with ordinality as s (statement_id, from_date, to_date, path, n)`,
  },
  { table: 'ledger', columns: 'ledger_code', select: 'select account_id, position, ledger_code from book' },
  {
    table: 'energy_cheque',
    columns:
      'ledger_position, number, amount, protection_from, protection_to, valid_to, source, status, asp_remittance_ref',
    select: `select k.account_id, row_number() over (partition by k.account_id order by k.position, c.n) - 1, k.position, c.number, c.amount,
        nullif(c.protection_from, '')::date, nullif(c.protection_to, '')::date, nullif(c.valid_to, '')::date, nullif(c.source, ''), nullif(c.status, ''),
        nullif(c.remittance, '')
      from book k, rows from (jsonb_to_recordset(k.energy_cheques) as (number text, amount bigint, protection_from text, protection_to text, valid_to text,
        source text, status text, asp_remittance_ref text)) with ordinality as c (number, amount, protection_from, protection_to, valid_to, source, status, remittance, n)`,
  },
  {
    table: 'note',
    columns: 'body, created_at, fingerprint',
    select: `select account_id, position, body, created_at, sha256(convert_to(coalesce(body, paths), 'UTF8')) from said`,
  },
  {
    table: 'note_document',
    columns: 'note_position, document_path, document_root',
    select: `select s.account_id, row_number() over (partition by s.account_id order by s.position, d.n) - 1, s.position, ltrim(d.path, '/'), s.document_root
      from said s, rows from (jsonb_to_recordset(s.document_paths) as (document_path text)) with ordinality as d (path, n)`,
  },
];

const ACCOUNT_CONTRACTS: Insert[] = [
  {
    table: 'account_contract',
    columns: 'identifier, valid_from_date, signed_at_date',
    select: `select account_id, position, identifier, valid_from_date, nullif(signed_at_date, '')::date from contract`,
  },
  {
    table: 'account_contract_version',
    columns: 'contract_position, applicable_at_date',
    select: 'select account_id, position, contract_position, applicable_at_date from version',
  },
  {
    table: 'account_contract_term',
    columns: 'version_position, term_type, content',
    select: `select v.account_id, row_number() over (partition by v.account_id order by v.position, t.n) - 1, v.position, t.term ->> 'term_type', t.term
      from version v, jsonb_array_elements(v.terms) with ordinality as t (term, n)`,
  },
];

const INSERTS = [...PEOPLE_AND_LABELS, ...SUPPLY, ...PAYMENT, ...HISTORY, ...ACCOUNT_CONTRACTS].map(
  ({ table, columns, select }) =>
    `${table}_written as (insert into ${table} (account_id, position, ${columns}) ${select} order by 1, 2)`,
);

const INSERT_PARTS: PreparedQuery = {
  name: 'create-account-parts',
  text: `with ${[BATCH, ADDRESSES, POINTS, AGREEMENTS, LEDGERS, NOTES, CONTRACTS, ...INSERTS].join(',\n')} select`,
};

/**
 * Runs before the accounts are inserted: supply points are shared between accounts, so they are locked first, in key order. Existing ones
 * are locked too, because a withdrawal deletes the points that no account has.
 */
const INSERT_SUPPLY_POINTS: PreparedQuery = {
  name: 'create-supply-points',
  text: `
    with wanted as materialized (
      select distinct s ->> 'supply_type' as supply_type, (s ->> 'identifier') collate "C" as identifier
      from import_process p, jsonb_path_query(p.payload, '$.supply_addresses[*].supply_points[*]') s
      where p.id = any($1::uuid[])),
    added as (
      insert into supply_point (supply_type, identifier) select supply_type, identifier from wanted order by 1, 2
      on conflict (supply_type, identifier) do nothing returning 1),
    held as (
      select from wanted w cross join lateral (
        select from supply_point m where m.supply_type = w.supply_type and m.identifier = w.identifier for key share) m)
    select true as "areMissing" where (select count(*) from wanted) > (select count(*) from added) + (select count(*) from held)`,
};

/** Arrays of equal length: ids of the staged rows and of the accounts created from them. */
export interface NewAccounts {
  processIds: readonly string[];
  accountIds: readonly string[];
}

/**
 * Inserts the missing master records of supply points, and locks all of them. Call it before inserting the accounts, to keep the lock
 * order. Points that another transaction inserts or deletes meanwhile need another attempt, which sees its commit.
 */
export async function insertSupplyPoints(em: EntityManager, accounts: NewAccounts): Promise<void> {
  for (;;) {
    const missing = await run(em, INSERT_SUPPLY_POINTS, [accounts.processIds]);
    if (missing.length === 0) return;
  }
}

/** Writes all rows below the accounts, which must exist. */
export async function insertAccountParts(em: EntityManager, accounts: NewAccounts): Promise<void> {
  await run(em, INSERT_PARTS, [accounts.processIds, accounts.accountIds]);
}

import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { Database } from '../../src/platform/database/database.ts';

type Row = Record<string, unknown>;

/**
 * Derives the rows of a payload, table by table, independently of the service, to compare them with the database. Empty
 * and missing strings are null, dates are strings, timestamps are in UTC.
 */
export function expectedRows(account: any): Record<string, Row[]> {
  const points = pointsOf(account);
  return numbered({
    ...rowsOfHolder(account),
    ...rowsOfSupply(account, points),
    ...rowsOfPayment(account, points),
    ...rowsOfHistory(account),
    ...rowsOfContracts(account),
  });
}

type Point = { address_position: number; point: any };

function pointsOf(account: any): Point[] {
  return (account.supply_addresses ?? []).flatMap((address: any, address_position: number) =>
    address.supply_points.map((point: any) => ({ address_position, point })),
  );
}

/** The items of one list of all points, with the position of their point. */
function below(points: readonly Point[], list: string): { point_position: number; item: any }[] {
  return points.flatMap(({ point }, point_position) =>
    (point[list] ?? []).map((item: any) => ({ point_position, item })),
  );
}

/** The account holder, and data of the account as a whole. */
function rowsOfHolder(account: any): Record<string, Row[]> {
  return {
    customer: (account.customers ?? []).map((customer: any) => ({
      ...texts(customer, [
        'title',
        'given_name',
        'family_name',
        'email',
        'mobile',
        'landline',
        'date_of_birth',
        'deceased',
      ]),
      mobile_e164: e164(customer.mobile),
      landline_e164: e164(customer.landline),
      ...texts(customer.customer_preferences ?? {}, [
        'opted_into_updates',
        'opted_into_sms',
        'opted_into_offers',
        'opted_into_recommended',
      ]),
    })),
    account_business_detail: (account.business?.details ?? []).map((detail: any) => texts(detail, ['key', 'value'])),
    account_campaign: (account.account_campaigns ?? []).map((campaign: any) =>
      texts(campaign, ['slug', 'campaign_note']),
    ),
    account_metadata: (account.metadata ?? []).map((entry: any) => texts(entry, ['key', 'value'])),
  };
}

function rowsOfSupply(account: any, points: readonly Point[]): Record<string, Row[]> {
  const agreements = below(points, 'agreements');
  return {
    supply_address: (account.supply_addresses ?? []).map((address: any) =>
      texts(address, [
        'supply_address1',
        'supply_address2',
        'supply_address3',
        'supply_address4',
        'supply_postcode',
        'customer_at_supply_address_from_date',
      ]),
    ),
    account_supply_point: points.map(({ address_position, point }) => ({
      address_position,
      identifier: point.identifier,
      supply_type: point.supply_type,
      supply_start_date: point.supply_start_date,
      billing_frequency: orNull(point.billing_frequency),
      consent_data: point.consent_data ?? {},
      held_since: null,
      released_at: null,
    })),
    agreement: agreements.map(({ point_position, item }) => ({
      point_position,
      ...texts(item, ['tariff_code', 'effective_from', 'effective_to']),
      agreed_at: instant(item.agreed_at),
    })),
    agreement_addon: agreements.flatMap(({ item }, agreement_position) =>
      (item.addons ?? []).map(({ band }: any) => ({ agreement_position, band })),
    ),
  };
}

function rowsOfPayment(account: any, points: readonly Point[]): Record<string, Row[]> {
  return {
    payment_schedule: below(points, 'payment_schedules').map(({ point_position, item }) => ({
      point_position,
      ...texts(item, ['means', 'frequency', 'start_date', 'day_of_month']),
      amount: item.amount === undefined || item.amount === '' ? null : String(item.amount),
    })),
    // Instructions of a payload are not verified.
    payment_instruction: below(points, 'payment_instructions').map(({ point_position, item }) => ({
      point_position,
      ...texts(item, ['vendor', 'reference', 'type', 'valid_from']),
      verification_id: null,
      verified_at: null,
      replaced_at: null,
    })),
    payment_preference: (account.payment_preferences ?? []).map((preference: any) => ({
      point_position: points.findIndex(({ point }) => point.identifier === preference.supply_point_identifier),
      type: preference.type,
      ...texts(preference.instruction_reference_params ?? {}, ['vendor_name', 'vendor_reference']),
    })),
  };
}

/** The history of the account. */
function rowsOfHistory(account: any): Record<string, Row[]> {
  const supplementaryLedgers: any[] = account.supplementary_ledgers ?? [];
  const notes: any[] = account.notes ?? [];
  return {
    statement: (account.statements ?? []).map((statement: any) => ({
      ...texts(statement, ['statement_id', 'bill_period_from_date', 'bill_period_to_date']),
      statement_path: orNull(statement.statement_path?.replace(/^\/+/, '')),
      issued_date: null,
      number: null,
      gross_amount: null,
      accepted_hashes: null,
    })),
    ledger: supplementaryLedgers.map((ledger) => texts(ledger, ['ledger_code'])),
    energy_cheque: supplementaryLedgers.flatMap((ledger, ledger_position) =>
      (ledger.energy_cheques ?? []).map((cheque: any) => ({
        ledger_position,
        ...texts(cheque, [
          'number',
          'amount',
          'protection_from',
          'protection_to',
          'valid_to',
          'source',
          'status',
          'asp_remittance_ref',
        ]),
      })),
    ),
    note: notes.map((note) => ({
      ...texts(note, ['body']),
      created_at: note.created_at ? instant(note.created_at) : 'now',
    })),
    note_document: notes.flatMap((note, note_position) =>
      (note.document_paths ?? []).map(({ document_path: path }: any) => ({
        note_position,
        document_path: path.replace(/^\/+/, ''),
      })),
    ),
  };
}

function rowsOfContracts(account: any): Record<string, Row[]> {
  const contracts: any[] = account.account_contracts ?? [];
  const versions = contracts.flatMap((contract, contract_position) =>
    contract.versions.map((version: any) => ({ contract_position, version })),
  );
  return {
    account_contract: contracts.map((contract) => texts(contract, ['identifier', 'valid_from_date', 'signed_at_date'])),
    account_contract_version: versions.map(({ contract_position, version }) => ({
      contract_position,
      applicable_at_date: version.applicable_at_date,
    })),
    account_contract_term: versions.flatMap(({ version }, version_position) =>
      version.terms.map((content: any) => ({ version_position, term_type: content.term_type, content })),
    ),
  };
}

/** The row of the account itself, except for columns that the payload does not determine. */
export function expectedAccount(account: any): Row {
  return {
    ...texts(account, [
      'external_account_number',
      'import_supplier',
      'billing_address1',
      'billing_address2',
      'billing_address3',
      'billing_address4',
      'billing_postcode',
      'sales_channel',
      'sales_subchannel',
      'last_billed_to_date',
    ]),
    account_type: account.account_type || 'DOMESTIC',
    unknown_occupier: account.unknown_occupier ?? false,
    ...texts(account.business ?? {}, ['business_type', 'business_contract_identifier']),
    siret: orNull(account.business?.siret?.replace(/[\s.]/g, '')),
    switch_not_before: null,
    switch_status: 'PENDING',
  };
}

/** Reads the rows of an account from the database, in the form of `expectedRows`. */
export async function storedRows(
  database: Database,
  number: string,
): Promise<{ account: Row; children: Record<string, Row[]> }> {
  const {
    rows: [{ id, account }],
  } = await database.pool.query(
    `select id, to_jsonb(a) - array['id', 'number', 'creation_id', 'import_process_id', 'operations_team', 'created_at', 'business_contract_id'] as account from account a where number = $1`,
    [number],
  );
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns c where column_name in ('account_id', 'position') and table_schema = 'public' group by 1 having count(*) = 2 order by 1`,
  );
  const children: Record<string, Row[]> = {};
  for (const { name } of tables) {
    const { rows } = await database.pool.query(
      `select ${STORED[name] ?? `to_jsonb(t) - array['account_id', 'created_at']`} as row from ${name} t where account_id = $1 order by position`,
      [id],
    );
    if (rows.length > 0) children[name] = rows.map(({ row }) => row);
  }
  return { account, children };
}

/** Columns that are not compared unchanged. */
const STORED: Record<string, string> = {
  account_supply_point: `to_jsonb(t) - array['account_id', 'supply_point_id', 'switch_status', 'switch_round'] || (select jsonb_build_object('identifier', m.identifier, 'supply_type', m.supply_type) from supply_point m where m.id = t.supply_point_id)`,
  payment_schedule: `to_jsonb(t) - 'account_id' || jsonb_build_object('amount', t.amount::text)`,
  agreement: `to_jsonb(t) - 'account_id' || jsonb_build_object('agreed_at', to_char(t.agreed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`,
  statement: `to_jsonb(t) - array['account_id', 'created_at', 'document_root', 'import_job_id']`,
  note_document: `to_jsonb(t) - array['account_id', 'document_root']`,
  note: `to_jsonb(t) - array['account_id', 'fingerprint', 'import_job_id', 'is_pinned', 'unpin_at'] || jsonb_build_object('created_at',
    case when t.created_at = (select created_at from account where id = t.account_id) then 'now' else to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end)`,
};

function numbered(tables: Record<string, Row[]>): Record<string, Row[]> {
  return Object.fromEntries(
    Object.entries(tables)
      .filter(([, rows]) => rows.length > 0)
      .map(([table, rows]) => [table, rows.map((row, position) => ({ ...row, position }))]),
  );
}

function texts(source: any, fields: string[]): Row {
  return Object.fromEntries(fields.map((field) => [field, orNull(source[field])]));
}

function orNull(value: unknown): unknown {
  return value === undefined || value === '' ? null : value;
}

function instant(text: string | undefined): string | null {
  return text ? new Date(text).toISOString() : null;
}

function e164(sent: string | null | undefined): string | null {
  return (sent && parsePhoneNumberFromString(sent, 'FR')?.number) || null;
}

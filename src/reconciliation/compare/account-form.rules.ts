import { beside, empty, field, fields, type Item, type StoredField, type StoredList } from './form.rules.ts';

/** The transaction that creates the account also writes the rows of the payload. */
const bornWithAccount = beside('', 'created_at', (_item, { createdAt }) => createdAt, { form: 'instant' });

const hasPath = (item: Item, member: string) => /[^/]/.test((item[member] as string | undefined) ?? '');
const rootOf = (member: string) =>
  beside(member, 'document_root', (item, { documentRoot }) =>
    hasPath(item, member) ? (documentRoot ?? undefined) : undefined,
  );

/** Columns of the account itself that do not simply store a member. */
export const accountFields: readonly StoredField[] = [
  field('account_type', 'text', { absent: 'DOMESTIC' }),
  field('unknown_occupier', 'boolean', { absent: 'false' }),
  field('business.siret', 'siret'),
  beside(
    'business.business_contract_identifier',
    'business_contract_id',
    ({ business }) => (business as Item | undefined)?.['business_contract_identifier'],
    {
      sql: `case when a.business_contract_id is not null then
        coalesce((select c.identifier from business_contract c where c.id = a.business_contract_id and c.import_supplier = a.import_supplier), '') end`,
    },
  ),
  beside('', 'created_at', (_account, { importedAt }) => importedAt, { form: 'instant' }),
];

const customers: StoredList = {
  member: 'customers',
  table: 'customer',
  fields: [
    beside('mobile', 'mobile_e164', (_item, { phoneNumbers }, index) => phoneNumbers[index]?.mobile),
    beside('landline', 'landline_e164', (_item, { phoneNumbers }, index) => phoneNumbers[index]?.landline),
  ],
};

const agreements: StoredList = {
  member: 'agreements',
  table: 'agreement',
  parent: 'point_position',
  lists: [{ member: 'addons', table: 'agreement_addon', parent: 'agreement_position' }],
};

const paymentSchedules: StoredList = {
  member: 'payment_schedules',
  table: 'payment_schedule',
  parent: 'point_position',
  fields: [field('amount', 'decimal', { sum: 'payment_schedules' })],
};

const paymentInstructions: StoredList = {
  member: 'payment_instructions',
  table: 'payment_instruction',
  parent: 'point_position',
  fields: [
    empty('verification_id'),
    empty('verified_at'),
    empty('replaced_at', {
      reason: {
        code: 'payment_instruction_replaced',
        sql: `t.replaced_at is not null and exists (select from payment_instruction v where v.account_id = t.account_id and v.type = t.type
          and v.point_position is not distinct from t.point_position and v.verified_at is not null and v.position > t.position)`,
      },
    }),
    bornWithAccount,
  ],
  laterRows: {
    reason: 'payment_instruction_verified',
    sql: `exists (select from payment_verification v where v.id = t.verification_id and v.account_id = t.account_id and v.outcome = 'verified'
      and v.vendor = t.vendor and v.type = t.type and v.reference = t.reference and v.point_position is not distinct from t.point_position
      and t.verified_at is not null and t.valid_from is null)`,
  },
};

const supplyAddresses: StoredList = {
  member: 'supply_addresses',
  table: 'supply_address',
  lists: [
    {
      member: 'supply_points',
      table: 'account_supply_point',
      parent: 'address_position',
      fields: [
        field('identifier', 'text', {
          column: 'supply_point_id',
          sql: '(select m.identifier from supply_point m where m.id = t.supply_point_id)',
        }),
        field('supply_type', 'text', {
          column: 'supply_point_id',
          sql: '(select m.supply_type from supply_point m where m.id = t.supply_point_id)',
        }),
        field('consent_data', 'json', { absent: '{}' }),
      ],
      lists: [agreements, paymentSchedules, paymentInstructions],
    },
  ],
};

const paymentPreferences: StoredList = {
  member: 'payment_preferences',
  table: 'payment_preference',
  fields: [
    field('supply_point_identifier', 'text', {
      column: 'point_position',
      sql: `(select m.identifier from account_supply_point s join supply_point m on m.id = s.supply_point_id
        where s.account_id = t.account_id and s.position = t.point_position)`,
    }),
  ],
};

/** The members of a statement that was sent in its own request, in the order of their hashes. */
export const statementMembers: readonly Pick<StoredField, 'member' | 'form'>[] = [
  ...fields('statement_id', 'bill_period_from_date', 'bill_period_to_date', 'issued_date', 'number'),
  field('gross_amount', 'decimal'),
  field('statement_path', 'path'),
];

const statements: StoredList = {
  member: 'statements',
  table: 'statement',
  fields: [
    rootOf('statement_path'),
    empty('issued_date'),
    empty('number'),
    empty('gross_amount', { form: 'decimal' }),
    bornWithAccount,
  ],
  hashed: statementMembers.map(({ member }) => member),
  laterRows: { reason: 'statement_added', sql: 't.created_at > a.created_at' },
};

const ledgers: StoredList = {
  member: 'supplementary_ledgers',
  table: 'ledger',
  lists: [
    {
      member: 'energy_cheques',
      table: 'energy_cheque',
      parent: 'ledger_position',
      fields: [field('amount', 'decimal', { sum: 'energy_cheques' })],
    },
  ],
};

const documentsOfNote = `(select string_agg(d.document_path, E'\\n' order by d.document_path collate "C") from note_document d
  where d.account_id = t.account_id and d.note_position = t.position)`;
/** Recognizes a note by its body or, if it has none, by its documents. */
const knownAgain = `(t.fingerprint = sha256(convert_to(coalesce(t.body, ${documentsOfNote}), 'UTF8')))`;

/** True if the stored value is the one that an operator set when last changing the pin. */
const pinnedByOperator = `case when t.is_pinned or t.unpin_at is not null then (
  select e.after ->> 'is_pinned' = t.is_pinned::text and (e.after ->> 'unpin_at')::timestamptz is not distinct from date_trunc('milliseconds', t.unpin_at)
  from audit_entry e where e.subject = 'accounts/' || a.import_supplier || '/' || a.external_account_number || '/notes'
    and e.action in ('note.pinned', 'note.unpinned') and e.after ->> 'note' = t.position::text order by e.at desc, e.id desc limit 1) end`;

const notes: StoredList = {
  member: 'notes',
  table: 'note',
  fields: [
    beside('created_at', 'created_at', ({ created_at: sent }, { createdAt }) => sent || createdAt, { form: 'instant' }),
    beside('body', 'fingerprint', () => true, { sql: `${knownAgain}::text` }),
    beside('', 'is_pinned', () => false, { reason: { code: 'note_pin_changed', sql: pinnedByOperator } }),
    empty('unpin_at', { reason: { code: 'note_pin_changed', sql: pinnedByOperator } }),
  ],
  lists: [
    {
      member: 'document_paths',
      table: 'note_document',
      parent: 'note_position',
      fields: [rootOf('document_path')],
      laterRows: {
        reason: 'note_added',
        sql: `exists (select from note n where n.account_id = t.account_id and n.position = t.note_position)`,
      },
    },
  ],
  laterRows: { reason: 'note_added', sql: knownAgain },
};

const accountContracts: StoredList = {
  member: 'account_contracts',
  table: 'account_contract',
  lists: [
    {
      member: 'versions',
      table: 'account_contract_version',
      parent: 'contract_position',
      lists: [
        {
          member: 'terms',
          table: 'account_contract_term',
          parent: 'version_position',
          fields: [
            { member: '', column: 'content', form: 'json' },
            beside('term_type', 'term_type', ({ term_type: type }) => type),
          ],
        },
      ],
    },
  ],
};

/** The lists of an account payload. Members without a field here are stored in a column of their name. */
export const accountLists: readonly StoredList[] = [
  customers,
  { member: 'business.details', table: 'account_business_detail' },
  { member: 'account_campaigns', table: 'account_campaign' },
  { member: 'metadata', table: 'account_metadata' },
  supplyAddresses,
  paymentPreferences,
  statements,
  ledgers,
  notes,
  accountContracts,
];

/** The description of a moved transaction, which contains the original and the new date. */
const mentionsMove = `t.description = format('The date was changed from %s to %s, because %1$s lies outside the open statement period.',
  t.sent ->> 'transaction_date', t.transaction_date)`;
const moved = { code: 'transaction_moved', sql: mentionsMove } as const;

/** The transactions of an account. Each row stores the sent text, with which it is compared. */
export const transactionList: StoredList = {
  member: 'transactions',
  table: 'transaction',
  fields: [
    ...fields('transaction_id', 'type', 'reason', 'display_note', 'note', 'reference', 'payment_type', 'product_code'),
    field('transaction_date', 'text', { reason: moved }),
    field('amount', 'decimal', { sum: 'transactions' }),
    empty('description', { reason: moved }),
  ],
  lists: [
    {
      member: 'line_items',
      table: 'transaction_line_item',
      parent: 'transaction_position',
      fields: [
        ...fields('start_date', 'end_date', 'rate_band'),
        field('number_of_units', 'decimal'),
        field('net_amount', 'decimal'),
        field('price_per_unit', 'decimal'),
        field('units', 'decimals'),
      ],
    },
    {
      member: 'tax_items',
      table: 'transaction_tax_item',
      parent: 'transaction_position',
      fields: [
        ...fields('tax_type', 'unit_type'),
        field('amount', 'decimal'),
        field('value_taxed', 'decimal'),
        field('rate', 'decimal'),
      ],
    },
  ],
};

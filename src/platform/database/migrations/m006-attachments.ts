import { Migration } from '@mikro-orm/migrations';

/** What operations 4, 5 and 6 attach to an account that is there. */
export class M006Attachments extends Migration {
  override async up(): Promise<void> {
    for (const statement of [...NOTE, ...STATEMENT, ...TRANSACTION]) this.addSql(statement);
  }
}

/** A note of documents alone is known by their stored paths, which have no leading slash. */
const NOTE = [
  `update note set fingerprint = sha256(convert_to(d.paths, 'UTF8'))
    from (select account_id, note_position, string_agg(document_path, E'\\n' order by document_path collate "C") as paths from note_document group by 1, 2) d
    where note.body is null and d.account_id = note.account_id and d.note_position = note.position`,
  'create index note_by_fingerprint on note (account_id, fingerprint)',
];

/** Those that came inside an account payload have neither of the three. */
const STATEMENT = ['alter table statement add column issued_date date, add column number text, add column gross_amount numeric'];

/** `account_id` and `position`, the key of all that belongs to an account. */
const KEY = `
  account_id uuid not null,
  position integer not null check (position >= 0),
  primary key (account_id, position)`;

const ITEM = `${KEY},
  transaction_position integer not null,
  foreign key (account_id, transaction_position) references transaction (account_id, position)`;

/**
 * The same transaction_id may stand more than once: a client may switch the detection off. `transaction_date` is the day
 * that counts; `sent` is what the client sent, by which a transaction is known again and which answers show.
 */
const TRANSACTION = [
  `create table transaction (${KEY},
    foreign key (account_id) references account (id),
    transaction_id text collate "C" not null,
    transaction_date date not null,
    amount numeric not null check (scale(amount) <= 2),
    type text not null check (type in ('CHARGE', 'CREDIT', 'PAYMENT', 'REPAYMENT', 'SUPPLY_CHARGE')),
    reason text, display_note text, note text, reference text, payment_type text, product_code text,
    description text,
    sent jsonb not null check (jsonb_typeof(sent) = 'object'),
    created_at timestamptz not null default now(),
    check (type not in ('PAYMENT', 'REPAYMENT') or amount > 0))`,
  'create index transaction_by_id on transaction (account_id, transaction_id)',
  `create table transaction_line_item (${ITEM},
    start_date date not null, end_date date not null,
    number_of_units numeric not null, net_amount numeric not null,
    price_per_unit numeric, rate_band text, units numeric[],
    check (start_date <= end_date))`,
  `create table transaction_tax_item (${ITEM},
    amount numeric not null, tax_type text not null,
    value_taxed numeric, rate numeric, unit_type text)`,
];

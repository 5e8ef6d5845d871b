import { Migration } from '@mikro-orm/migrations';

/** What operations 4, 5 and 6 attach to an account that is there. */
export class M006Attachments extends Migration {
  override async up(): Promise<void> {
    for (const statement of [...NOTE, ...NOTE_FUNCTIONS, ...STATEMENT, ...TRANSACTION, TRANSACTION_FACTS]) this.addSql(statement);
  }
}

/** A note of documents alone is known by their stored paths, which have no leading slash. */
const NOTE = [
  `update note set fingerprint = sha256(convert_to(d.paths, 'UTF8'))
    from (select account_id, note_position, string_agg(document_path, E'\\n' order by document_path collate "C") as paths from note_document group by 1, 2) d
    where note.body is null and d.account_id = note.account_id and d.note_position = note.position`,
  'create index note_by_fingerprint on note (account_id, fingerprint)',
];

/**
 * The notes of a request, as arrays of equal length, and their documents with the number of the note from 1. A note is
 * known again by the hash of its identity: the body, or the sorted document paths where there is none.
 */
const NOTES_OF_REQUEST = 'bodies text[], instants timestamptz[], pins boolean[], unpins timestamptz[], identities text[], document_notes integer[], document_paths text[]';

/**
 * Functions, because most requests bring nothing that is known and are then done in one round trip instead of five. As
 * in `take_creation_slot`, what stands behind the lock sees all that was committed before it was granted.
 */
const NOTE_FUNCTIONS = [
  `create function insert_notes(account uuid, ${NOTES_OF_REQUEST}) returns void language plpgsql volatile as $$
  declare
    first_note integer := (select coalesce(max(position) + 1, 0) from note where account_id = account);
    first_document integer := (select coalesce(max(position) + 1, 0) from note_document where account_id = account);
  begin
    insert into note (account_id, position, body, created_at, is_pinned, unpin_at, fingerprint)
    select account, first_note + n.n - 1, n.body, n.created_at, n.is_pinned, n.unpin_at, sha256(convert_to(n.identity, 'UTF8'))
    from unnest(bodies, instants, pins, unpins, identities) with ordinality as n (body, created_at, is_pinned, unpin_at, identity, n) order by n.n;
    insert into note_document (account_id, position, note_position, document_path)
    select account, first_document + d.n - 1, first_note + d.note - 1, d.path
    from unnest(document_notes, document_paths) with ordinality as d (note, path, n) order by d.n;
  end $$`,
  `create function attach_unknown_notes(supplier text, external text, ${NOTES_OF_REQUEST}) returns text language plpgsql volatile as $$
  declare
    account uuid;
    wanted bytea[];
  begin
    select id into account from account a where a.import_supplier = supplier and a.external_account_number = external for no key update;
    if account is null then
      return 'account-not-found';
    end if;
    wanted := array(select sha256(convert_to(i, 'UTF8')) from unnest(identities) i);
    if exists (select from note t where t.account_id = account and t.fingerprint = any (wanted)) then
      return 'some-known';
    end if;
    perform insert_notes(account, bodies, instants, pins, unpins, identities, document_notes, document_paths);
    return 'written';
  end $$`,
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

/**
 * Locks an imported account and tells all that its new transactions are judged by, in one round trip: what was billed
 * to, and those of `ids` that it has, oldest first. No row if there is no such account.
 */
const TRANSACTION_FACTS = `
  create function lock_account_for_transactions(supplier text, external text, ids text[])
  returns table (account_id uuid, last_billed_to_date date, last_statement_end date, stored jsonb) language plpgsql volatile as $$
  begin
    select a.id, a.last_billed_to_date into account_id, last_billed_to_date
    from account a where a.import_supplier = supplier and a.external_account_number = external for no key update;
    if account_id is null then
      return;
    end if;
    last_statement_end := (select max(s.bill_period_to_date) from statement s where s.account_id = lock_account_for_transactions.account_id);
    stored := (
      select jsonb_agg(jsonb_build_object('transactionId', t.transaction_id, 'sent', t.sent, 'transactionDate', t.transaction_date, 'description', t.description) order by t.position)
      from transaction t where t.account_id = lock_account_for_transactions.account_id and t.transaction_id = any (ids));
    return next;
  end $$`;

import { Migration } from '@mikro-orm/migrations';

/** What operations 4, 5 and 6 attach to an account that is there. */
export class M006Attachments extends Migration {
  override async up(): Promise<void> {
    for (const statement of [...NOTE, ...NOTE_FUNCTIONS, ...STATEMENT, ...TRANSACTION, ...TRANSACTION_FUNCTIONS]) {
      this.addSql(statement);
    }
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
const NOTES_OF_REQUEST =
  'bodies text[], instants timestamptz[], pins boolean[], unpins timestamptz[], identities text[], document_notes integer[], document_paths text[]';

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
const STATEMENT = [
  'alter table statement add column issued_date date, add column number text, add column gross_amount numeric',
];

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
 * `insert_transactions` writes the transactions of a request with their items; optional texts may be empty, which counts
 * as absent, hence the nullif. `lock_account_for_transactions` tells all that new ones are judged by: what was billed to,
 * and those of `ids` that the account has, oldest first. `attach_plain_transactions` does all at once for a request of
 * which no id is known and no day has to be moved. They keep a request to one round trip, or to four.
 */
const TRANSACTION_FUNCTIONS = [
  `create function insert_transactions(account uuid, sent jsonb, days date[], descriptions text[]) returns void language plpgsql volatile as $$
  declare
    first_transaction integer := (select coalesce(max(position) + 1, 0) from transaction where account_id = account);
    first_line integer := (select coalesce(max(position) + 1, 0) from transaction_line_item where account_id = account);
    first_tax integer := (select coalesce(max(position) + 1, 0) from transaction_tax_item where account_id = account);
  begin
    insert into transaction (account_id, position, transaction_id, transaction_date, amount, type, reason, display_note, note, reference, payment_type, product_code, description, sent)
    select account, first_transaction + t.n - 1, t.item ->> 'transaction_id', t.day, (t.item ->> 'amount')::numeric, t.item ->> 'type', nullif(t.item ->> 'reason', ''),
      nullif(t.item ->> 'display_note', ''), nullif(t.item ->> 'note', ''), nullif(t.item ->> 'reference', ''), nullif(t.item ->> 'payment_type', ''),
      nullif(t.item ->> 'product_code', ''), t.description, t.item
    from rows from (jsonb_array_elements(sent), unnest(days), unnest(descriptions)) with ordinality as t (item, day, description, n) order by t.n;
    if not jsonb_path_exists(sent, '$[*].line_items') then
      return;
    end if;
    insert into transaction_line_item (account_id, position, transaction_position, start_date, end_date, number_of_units, net_amount, price_per_unit, rate_band, units)
    select account, first_line + row_number() over (order by t.n, l.n) - 1, first_transaction + t.n - 1, l.start_date, l.end_date, l.number_of_units, l.net_amount,
      nullif(l.price_per_unit, '')::numeric, nullif(l.rate_band, ''), l.units
    from jsonb_array_elements(sent) with ordinality as t (item, n), rows from (jsonb_to_recordset(t.item -> 'line_items') as (start_date date, end_date date,
      number_of_units numeric, net_amount numeric, price_per_unit text, rate_band text, units numeric[]))
      with ordinality as l (start_date, end_date, number_of_units, net_amount, price_per_unit, rate_band, units, n) order by t.n, l.n;
    insert into transaction_tax_item (account_id, position, transaction_position, amount, tax_type, value_taxed, rate, unit_type)
    select account, first_tax + row_number() over (order by t.n, x.n) - 1, first_transaction + t.n - 1, x.amount, x.tax_type, nullif(x.value_taxed, '')::numeric,
      nullif(x.rate, '')::numeric, nullif(x.unit_type, '')
    from jsonb_array_elements(sent) with ordinality as t (item, n), rows from (jsonb_to_recordset(t.item -> 'tax_items') as (amount numeric, tax_type text,
      value_taxed text, rate text, unit_type text)) with ordinality as x (amount, tax_type, value_taxed, rate, unit_type, n) order by t.n, x.n;
  end $$`,
  `create function lock_account_for_transactions(supplier text, external text, ids text[])
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
  end $$`,
  `create function attach_plain_transactions(supplier text, external text, ids text[], today date, sent jsonb, days date[], descriptions text[])
  returns text language plpgsql volatile as $$
  declare
    facts record;
    billed_to date;
  begin
    select * into facts from lock_account_for_transactions(supplier, external, ids);
    if not found then
      return 'account-not-found';
    end if;
    billed_to := greatest(facts.last_billed_to_date, facts.last_statement_end);
    if facts.stored is not null or exists (select from unnest(days) d where d > today or d <= billed_to) then
      return 'not-plain';
    end if;
    perform insert_transactions(facts.account_id, sent, days, descriptions);
    return 'written';
  end $$`,
];

import { Migration } from '@mikro-orm/migrations';

/** A document keeps the root that it was accepted under; an operator who sets another root moves nothing that is stored. */
export class M020DocumentRootKept extends Migration {
  override async up(): Promise<void> {
    for (const statement of [...COLUMNS, ...STORED_BEFORE, ...NOTE_FUNCTIONS]) this.addSql(statement);
  }
}

const COLUMNS = ['import_process', 'statement', 'note_document'].map(
  (table) => `alter table ${table} add column document_root text`,
);

/** What was accepted before is where the root of today says; nobody wrote down another one. */
const STORED_BEFORE = [
  'update import_process p set document_root = s.document_root from import_supplier s where s.code = p.import_supplier and s.document_root is not null',
  `update statement t set document_root = s.document_root from account a join import_supplier s on s.code = a.import_supplier
    where a.id = t.account_id and t.statement_path is not null and s.document_root is not null`,
  'update note_document t set document_root = s.document_root from account a join import_supplier s on s.code = a.import_supplier where a.id = t.account_id and s.document_root is not null',
];

const NOTES_OF_REQUEST =
  'root text, bodies text[], instants timestamptz[], pins boolean[], unpins timestamptz[], identities text[], document_notes integer[], document_paths text[]';

/** Those of m006 with the root of the request; the ones without it stay for processes that are not yet replaced. */
const NOTE_FUNCTIONS = [
  `create function insert_notes(account uuid, ${NOTES_OF_REQUEST}) returns void language plpgsql volatile as $$
  declare
    first_note integer := (select coalesce(max(position) + 1, 0) from note where account_id = account);
    first_document integer := (select coalesce(max(position) + 1, 0) from note_document where account_id = account);
  begin
    insert into note (account_id, position, body, created_at, is_pinned, unpin_at, fingerprint)
    select account, first_note + n.n - 1, n.body, n.created_at, n.is_pinned, n.unpin_at, sha256(convert_to(n.identity, 'UTF8'))
    from unnest(bodies, instants, pins, unpins, identities) with ordinality as n (body, created_at, is_pinned, unpin_at, identity, n) order by n.n;
    insert into note_document (account_id, position, note_position, document_path, document_root)
    select account, first_document + d.n - 1, first_note + d.note - 1, d.path, root
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
    perform insert_notes(account, root, bodies, instants, pins, unpins, identities, document_notes, document_paths);
    return 'written';
  end $$`,
];

-- Inserts notes and their documents after the existing ones. The caller must hold the lock of the account. A null identity means the body. `job`
-- is the import job of the request, if any.
create or replace function insert_notes(account uuid, root text, bodies text[], instants timestamptz[], pins boolean[], unpins timestamptz[], identities text[], document_notes integer[],
document_paths text[], job uuid) returns void language plpgsql volatile as $$
declare
  first_note integer := (select coalesce(max(position) + 1, 0) from note where account_id = account);
  first_document integer;
begin
  insert into note (account_id, position, body, created_at, is_pinned, unpin_at, fingerprint, import_job_id)
  select account, first_note + n.n - 1, n.body, n.created_at, n.is_pinned, n.unpin_at, sha256(convert_to(coalesce(n.identity, n.body), 'UTF8')), job
  from unnest(bodies, instants, pins, unpins, identities) with ordinality as n (body, created_at, is_pinned, unpin_at, identity, n) order by n.n;
  if cardinality(document_notes) > 0 then
    first_document := (select coalesce(max(position) + 1, 0) from note_document where account_id = account);
    insert into note_document (account_id, position, note_position, document_path, document_root)
    select account, first_document + d.n - 1, first_note + d.note - 1, d.path, root
    from unnest(document_notes, document_paths) with ordinality as d (note, path, n) order by d.n;
  end if;
end $$;

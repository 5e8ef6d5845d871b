-- Inserts notes in one round trip, unless the account has notes that may equal one of them. Returns 'written', 'some-known' or
-- 'account-not-found'. A null identity means the body.
create or replace function attach_unknown_notes(supplier text, external text, root text, bodies text[], instants timestamptz[], pins boolean[], unpins timestamptz[], identities text[], document_notes integer[],
document_paths text[], job uuid) returns text language plpgsql volatile as $$
declare
  account uuid;
  wanted bytea[];
begin
  select id into account from account a where a.import_supplier = supplier and a.external_account_number = external for no key update;
  if account is null then
    return 'account-not-found';
  end if;
  -- Nearly all accounts have no notes yet.
  if exists (select from note t where t.account_id = account) then
    wanted := array(select sha256(convert_to(coalesce(i.identity, i.body), 'UTF8')) from unnest(bodies, identities) i (body, identity));
    if exists (select from note t where t.account_id = account and t.fingerprint = any (wanted)) then
      return 'some-known';
    end if;
  end if;
  perform insert_notes(account, root, bodies, instants, pins, unpins, identities, document_notes, document_paths, job);
  return 'written';
end $$;

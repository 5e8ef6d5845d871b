-- Returns the subjects of audit entries about an account, for exports and erasures of personal data.
create or replace function audit_subjects_of_person(supplier text, external text) returns text[]
language sql stable set search_path = pg_catalog, public as $$
  select array(
    select 'accounts/' || supplier || '/' || external || place from unnest('{"",/notes}'::text[]) place
    union all
    select 'account-import-processes/' || supplier || '/' || external || place
    from unnest('{/skip,/switch-status,/supply-point-claim,/market-messages}'::text[]) place
    union all
    select 'market-messages/' || message_id from public.market_message where import_supplier = supplier and external_account_number = external)
$$;

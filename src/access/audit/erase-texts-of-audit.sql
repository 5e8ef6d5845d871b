-- Erases free text about an account from the audit: reasons, and texts in the states before and after, with the salts of their hashes. Actor,
-- action and time remain. The service's own role cannot update the audit directly. Returns the changed entries, by which a verification of the
-- chain distinguishes an erasure from another change.
create or replace function erase_texts_of_audit(supplier text, external text) returns uuid[]
language sql security definer set search_path = pg_catalog, public as $$
  with changed as (
    update public.audit_entry set
      reason = case when reason is not null then 'erased' end,
      before = before - '{reason,skip_reason,detail}'::text[],
      after = after - '{reason,skip_reason,detail}'::text[],
      salt = null
    where subject = any (public.audit_subjects_of_person(supplier, external))
      and action not in ('person.erased', 'person.exported')
      and (reason <> 'erased' or before ?| '{reason,skip_reason,detail}'::text[] or after ?| '{reason,skip_reason,detail}'::text[])
    returning id)
  select coalesce(array_agg(id order by id), '{}') from changed
$$;

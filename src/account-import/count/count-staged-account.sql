-- Counts a staged account whose statement did not count it itself (docs/decisions/0048-counts-by-appending.md).
create or replace function count_staged_account() returns trigger language plpgsql as $$
begin
  insert into account_count_change (import_supplier, state, change) values (new.import_supplier, 'known', 1);
  return null;
end $$;

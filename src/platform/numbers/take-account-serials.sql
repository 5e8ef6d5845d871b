-- Returns serials for several accounts and checks the bounds once. Serials rise, so after a leap in between the first one is below the
-- bound.
create or replace function take_account_serials(wanted integer) returns setof bigint language plpgsql volatile as $$
declare
  serials bigint[] := array(select nextval('account_number_sequence') from generate_series(1, wanted));
begin
  if not exists (select from number_mark where serials[1] > account_from and serials[wanted] <= account_until and incarnation = database_incarnation()) then
    raise exception 'no account number is reserved' using errcode = 'GW001';
  end if;
  return query select unnest(serials);
end $$;

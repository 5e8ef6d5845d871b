-- The serial of the next account. The bounds are read after the number was taken, so that a leap that was committed in
-- between shows.
create or replace function next_account_serial() returns bigint language plpgsql volatile as $$
declare
  serial bigint := nextval('account_number_sequence');
begin
  if not exists (select from number_mark where serial > account_from and serial <= account_until and incarnation = database_incarnation()) then
    raise exception 'no account number is reserved' using errcode = 'GW001';
  end if;
  return serial;
end $$;

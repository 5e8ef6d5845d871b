-- Returns the serial of the next account. Reads the bounds after taking the number, so that it sees a leap committed in between.
create or replace function next_account_serial() returns bigint language plpgsql volatile as $$
declare
  serial bigint := nextval('account_number_sequence');
begin
  if not exists (select from number_mark where serial > account_from and serial <= account_until and incarnation = database_incarnation()) then
    raise exception 'no account number is reserved' using errcode = 'GW001';
  end if;
  return serial;
end $$;

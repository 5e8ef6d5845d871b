-- Returns the id of the next business. Reads the bounds after taking the number, as for accounts.
create or replace function next_business_id() returns integer language plpgsql volatile as $$
declare
  serial integer := nextval('business_id_sequence');
begin
  if not exists (select from number_mark where serial > business_from and serial <= business_until and incarnation = database_incarnation()) then
    raise exception 'no business id is reserved' using errcode = 'GW001';
  end if;
  return serial;
end $$;

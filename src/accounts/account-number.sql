-- Returns the account number for a serial. A fixed permutation of 40 bits (odd multipliers and xor-shifts are reversible), so that numbers
-- never repeat and do not reveal how many accounts exist: 8 characters of 5 bits, without 0 O 1 I, then a check character, the sum of the
-- characters with odd weights modulo 32, which detects any single wrong character. It must never change, because numbers would then be
-- issued twice.
create or replace function account_number(serial bigint) returns text language plpgsql immutable strict as $$
declare
  alphabet constant text := '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
  mask constant bigint := (1::bigint << 40) - 1;
  mixed bigint := serial & ((1::bigint << 40) - 1);
  digit integer;
  total integer := 0;
  number text := '';
begin
  mixed := (mixed * 7368787) & mask;
  mixed := mixed # (mixed >> 21);
  mixed := (mixed * 5308417) & mask;
  mixed := mixed # (mixed >> 17);
  for place in 0..7 loop
    digit := ((mixed >> (5 * place)) & 31)::integer;
    number := number || substr(alphabet, digit + 1, 1);
    total := total + digit * (2 * place + 1);
  end loop;
  return 'A-' || number || substr(alphabet, (total % 32) + 1, 1);
end $$;

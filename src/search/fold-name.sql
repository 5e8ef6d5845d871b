-- A name as search compares it: without case, accents, apostrophes, hyphens, dots and blanks, and with œ as oe, æ as ae and ß as ss.
-- Indexes of `customer` store its result, so a change of it needs a reindex. PL/pgSQL, because Postgres would inline a SQL function into the
-- index when it is created and not into later queries.
create or replace function fold_name(name text) returns text language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(name) <> length(name) then
    name := regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g');
    name := replace(replace(replace(replace(replace(replace(name, 'œ', 'oe'), 'Œ', 'oe'), 'æ', 'ae'), 'Æ', 'ae'), 'ß', 'ss'), 'ẞ', 'ss');
    name := translate(name, 'øØłŁđĐı‘’ʼʹ′ˈ‐‑‒–—', 'oollddi');
  end if;
  return translate(lower(name), ' -.`''', '');
end $$;

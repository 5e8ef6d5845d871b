-- The differences of two payloads: place, value before and value after; null if the place did not exist. Lists are compared from both
-- ends, so that an inserted item is one change. Only different parts are descended into, up to change number `most`, because two
-- large payloads may differ in a hundred thousand places.
create or replace function payload_changes(before jsonb, after jsonb, most integer, place text[] default '{}')
returns table (path text[], old_value jsonb, new_value jsonb) language plpgsql immutable as $$
declare
  member record;
  same_first integer;
  same_last integer;
  before_count integer;
  after_count integer;
  found_count integer := 0;
  more_count integer;
begin
  if before = after then
    return;
  end if;
  if jsonb_typeof(before) = 'object' and jsonb_typeof(after) = 'object' then
    for member in
      select coalesce(b.key, a.key) as name, b.value as was, a.value as is_now
      from jsonb_each(before) b full join jsonb_each(after) a on a.key = b.key where b.value is distinct from a.value order by 1
    loop
      return query select * from payload_changes(member.was, member.is_now, most - found_count, place || member.name);
      get diagnostics more_count = row_count;
      found_count := found_count + more_count;
      exit when found_count >= most;
    end loop;
  elsif jsonb_typeof(before) = 'array' and jsonb_typeof(after) = 'array' then
    before_count := jsonb_array_length(before);
    after_count := jsonb_array_length(after);
    same_first := coalesce((
      select min(b.at) - 1 from jsonb_array_elements(before) with ordinality b (value, at)
        join jsonb_array_elements(after) with ordinality a (value, at) on a.at = b.at where a.value <> b.value), least(before_count, after_count));
    same_last := coalesce((
      select min(before_count - b.at) from jsonb_array_elements(before) with ordinality b (value, at)
        join jsonb_array_elements(after) with ordinality a (value, at) on after_count - a.at = before_count - b.at where a.value <> b.value), least(before_count, after_count));
    same_last := least(same_last, least(before_count, after_count) - same_first);
    for index in same_first .. greatest(before_count, after_count) - same_last - 1 loop
      return query select * from payload_changes(
        case when index < before_count - same_last then before -> index end,
        case when index < after_count - same_last then after -> index end, most - found_count, place || index::text);
      get diagnostics more_count = row_count;
      found_count := found_count + more_count;
      exit when found_count >= most;
    end loop;
  else
    path := place;
    old_value := before;
    new_value := after;
    return next;
  end if;
end $$;

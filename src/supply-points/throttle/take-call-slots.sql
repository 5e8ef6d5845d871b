-- Reserves evenly spaced call slots across all workers. A slot begins at most 0.45 s from now and a block spans 0.4 s, so that a change of
-- the speed takes effect within a second. Workers whose estimates of the database's clock differ could send at the same time. If their
-- errors together exceed the 10 ms that the unused share of the speed allows, the next slots begin later by the excess. Times are
-- milliseconds of the database's clock. `again_ms` is the time of the next request, null if the network operator is paused.
create or replace function take_call_slots(operator text, wanted integer, used_share float8, taker uuid, lead_ms float8, doubt_ms float8)
returns table (granted integer, first_ms float8, every_ms float8, again_ms float8, moment_ms float8) language plpgsql volatile as $$
declare
  t throttle;
  moment timestamptz;
  rate float8;
  beginning timestamptz;
begin
  select * into t from throttle where network_operator = operator for no key update;
  moment := clock_timestamp();
  granted := 0;
  moment_ms := 1000 * extract(epoch from moment)::float8;
  rate := used_share * least(t.requests_per_second, t.requests_per_hour / 3600);
  if rate <= 0 then
    return next;
    return;
  end if;
  every_ms := 1000 / greatest(rate, 0.0000001);
  -- No slot is reserved a second ahead, so a later last slot means that the clock was set back.
  if t.last_slot_at > moment + interval '1 second' then
    t.last_slot_at := moment;
  end if;
  beginning := t.last_slot_at + make_interval(secs => every_ms / 1000);
  if t.last_taker is distinct from taker then
    beginning := beginning + make_interval(secs => greatest(0, t.last_doubt_ms + doubt_ms - 10) / 1000);
  end if;
  if t.blocked_until > moment or beginning > moment + interval '450 milliseconds' then
    again_ms := 1000 * extract(epoch from greatest(t.blocked_until, beginning - interval '400 milliseconds'))::float8;
    return next;
    return;
  end if;
  beginning := greatest(beginning, moment + make_interval(secs => lead_ms / 1000));
  granted := least(wanted, greatest(1, floor(rate * 0.4)::integer));
  first_ms := 1000 * extract(epoch from beginning)::float8;
  update throttle set last_slot_at = beginning + make_interval(secs => (granted - 1) * every_ms / 1000), last_taker = taker, last_doubt_ms = doubt_ms
  where network_operator = operator;
  return next;
end $$;

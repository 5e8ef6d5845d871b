-- Gives the next events of the outbox their positions, in the order of their numbers, and returns their number. One process at a time: while
-- another one works, it returns 0. Events that are not visible yet get a later position, so a reader that continues from its last
-- position misses nothing. A transaction that waited for the lock of a subject sees and numbers after the one before it, so the order of
-- each subject is kept (docs/decisions/0054-event-outbox.md).
create or replace function sequence_events(at_most integer) returns integer language plpgsql as $$
declare
  last bigint;
  moved integer;
begin
  -- The usual case, without a lock.
  if not exists (select from event_outbox) then
    return 0;
  end if;
  select s.position into last from event_sequence s where s.name = 'events' for update skip locked;
  if last is null then
    return 0;
  end if;
  with taken as (
    delete from event_outbox where number in (select o.number from event_outbox o order by o.number limit at_most) returning *
  )
  insert into event (import_supplier, position, id, organisation, type, subject, data, occurred_at)
    select t.import_supplier, last + row_number() over (order by t.number), t.id, t.organisation, t.type, t.subject, t.data, t.occurred_at from taken t;
  get diagnostics moved = row_count;
  update event_sequence set position = last + moved where name = 'events';
  return moved;
end $$;

-- Assigns positions to the next events of the outbox, in the order of their numbers, and returns how many. One process at a time: while
-- another works, returns 0. Events that are not visible yet get later positions, so a reader that continues from its last position misses
-- none. A transaction that waited for the lock of a subject writes its event after the event of the previous lock holder, so events of one
-- subject stay in order (docs/decisions/0054-event-outbox.md). The positions of a month begin where its partition begins.
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
  last := greatest(last, first_key_of_month('bigint', date_trunc('month', now() at time zone 'UTC'))::bigint);
  with taken as (
    delete from event_outbox where number in (select o.number from event_outbox o order by o.number limit at_most) returning *
  )
  insert into event (import_supplier, position, id, organisation, type, subject, data, occurred_at)
    select t.import_supplier, last + row_number() over (order by t.number), t.id, t.organisation, t.type, t.subject, t.data, t.occurred_at from taken t;
  get diagnostics moved = row_count;
  update event_sequence set position = last + moved where name = 'events';
  return moved;
end $$;

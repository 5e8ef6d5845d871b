-- Stores outcomes of lookups: updates the lookups, their requests, the counts of their batches, and the status of completed batches. An
-- outcome counts only while its attempt still holds the lookup; late and repeated outcomes are ignored. This is a function, because each
-- statement must see what was committed while the previous one waited for a lock: a batch that names the identifier concurrently holds the
-- lookup's row, and is then counted. Returns the positions of the outcomes that count, and the batches that have ended.
create or replace function complete_look_ups(
  ids bigint[], holders uuid[], states text[], reasons text[], failures text[], due_seconds float8[]
) returns table (place integer, ended_batch uuid) language plpgsql volatile as $$
declare
  counted_in integer[];
  done_ids bigint[];
  batches uuid[];
begin
  perform from look_up where id = any(ids) order by id for no key update;
  with done as (
    update look_up l set
      state = o.state, errored_reason = o.reason, last_failure = o.failure, due_at = now() + make_interval(secs => o.seconds), taken_by = null,
      tries = case when o.state = 'deferred' then l.tries + 1 else l.tries end,
      deferred_at = case when o.state = 'deferred' then coalesce(l.deferred_at, now()) end,
      completed_at = case when o.state in ('imported', 'errored') then now() end
    from unnest(ids, holders, states, reasons, failures, due_seconds) with ordinality as o (id, holder, state, reason, failure, seconds, n)
    where l.id = o.id and l.taken_by = o.holder and l.state = 'pending'
    returning o.n::integer as n
  )
  select array_agg(n), array_agg(ids[n]) into counted_in, done_ids from done;
  if counted_in is null then
    return;
  end if;
  return query select n, null::uuid from unnest(counted_in) n;
  -- Lock the batches first, in a fixed order: if two network operators complete a batch concurrently, the second sees the outcomes of the
  -- first.
  select array_agg(distinct batch_id) into batches from population_request where look_up_id = any(done_ids) and state in ('pending', 'deferred');
  if batches is null then
    return;
  end if;
  perform from population_batch where id = any(batches) order by id for no key update;
  with moved as (
    update population_request r set state = o.state, errored_reason = o.reason
    from (select ids[n] as id, states[n] as state, reasons[n] as reason from unnest(counted_in) n) o
    where r.look_up_id = o.id and r.state in ('pending', 'deferred')
    returning r.batch_id, r.network_operator, r.state
  ), counted as (
    select batch_id, network_operator, count(*) filter (where state = 'imported') as imported, count(*) filter (where state = 'errored') as errored
    from moved group by 1, 2
  )
  update population_operator_progress s set
    imported = s.imported + c.imported, errored = s.errored + c.errored,
    earlier_at = case when isnew then s.window_at else s.earlier_at end,
    earlier_count = case when isnew then s.window_count else s.earlier_count end,
    window_at = case when isnew then clock_timestamp() else s.window_at end,
    window_count = case when isnew then 0 else s.window_count end + c.imported + c.errored
  from (select c0.*, now() - s0.window_at > interval '10 seconds' as isnew from counted c0 join population_operator_progress s0 using (batch_id, network_operator)) c
  where s.batch_id = c.batch_id and s.network_operator = c.network_operator;
  return query update population_batch b set status = 'COMPLETED', ended_at = now()
  where b.id = any(batches) and b.status = 'IN_PROGRESS'
    and not exists (select from population_operator_progress s where s.batch_id = b.id and s.imported + s.errored < s.accepted)
  returning null::integer, b.id;
end $$;

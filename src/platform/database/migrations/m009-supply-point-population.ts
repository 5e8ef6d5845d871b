import { Migration } from '@mikro-orm/migrations';

/** Supply points from the network operators: batches, the look-ups that they share, and the throttle. */
export class M009SupplyPointPopulation extends Migration {
  override async up(): Promise<void> {
    for (const statement of [
      SUPPLY_POINT,
      THROTTLE,
      THROTTLES,
      ...LOOK_UP,
      POPULATION_BATCH,
      ...POPULATION_REQUEST,
      SETTLE,
      TAKE_CALL_SLOTS,
    ]) {
      this.addSql(statement);
    }
  }
}

/** What the network operator says of a point; null until it was asked. An account may have made the row before, or finds it later. */
const SUPPLY_POINT = `
  alter table supply_point
    add column facts jsonb,
    add column facts_source text,
    add column populated_at timestamptz`;

/**
 * Speed of the calls to one operator. Times are those of the database, so that the clocks of workers do not matter:
 * \`next_at\` is the first moment that no call has, \`blocked_until\` what the operator itself asked for (429).
 */
const THROTTLE = `
  create table throttle (
    network_operator text collate "C" primary key check (network_operator in ('enedis', 'grdf')),
    requests_per_second numeric not null check (requests_per_second >= 0),
    requests_per_hour numeric not null check (requests_per_hour >= 0),
    reason text,
    next_at timestamptz not null default '-infinity',
    blocked_until timestamptz not null default '-infinity',
    answered_at timestamptz not null default '-infinity',
    updated_at timestamptz not null default now()
  )`;

/** What is known of their public limits: Data Connect 5 a second and 10,000 an hour, ADICT one a second. */
const THROTTLES = `insert into throttle (network_operator, requests_per_second, requests_per_hour) values ('enedis', 5, 10000), ('grdf', 1, 3600)`;

/** One identifier at its operator, whoever wants it. Its frequent changes touch no indexed column, so they stay cheap. */
const LOOK_UP = [
  `create table look_up (
    id bigint generated always as identity primary key,
    network_operator text collate "C" not null check (network_operator in ('enedis', 'grdf')),
    identifier text collate "C" not null,
    state text not null default 'pending' check (state in ('pending', 'set-aside', 'imported', 'errored')),
    errored_reason text,
    is_taken boolean not null default false,
    tries integer not null default 0,
    last_failure text,
    set_aside_at timestamptz,
    due_at timestamptz,
    settled_at timestamptz,
    created_at timestamptz not null default now(),
    unique (network_operator, identifier),
    check ((state = 'errored') = (errored_reason is not null))
  ) with (fillfactor = 70)`,
  `create index look_up_due on look_up (network_operator, due_at) where due_at is not null`,
  // A page under way: what an activity that runs again goes on with.
  `create table look_up_page (
    id uuid primary key,
    network_operator text collate "C" not null references throttle (network_operator),
    look_up_ids bigint[] not null,
    taken_at timestamptz not null default now()
  )`,
];

const POPULATION_BATCH = `
  create table population_batch (
    id uuid primary key,
    organisation_id uuid not null references organisation (id),
    customer_category text not null check (customer_category in ('Domestic', 'Professional')),
    status text not null default 'IN_PROGRESS' check (status in ('IN_PROGRESS', 'COMPLETED', 'CANCELLED')),
    warnings jsonb not null,
    created_at timestamptz not null default now(),
    ended_at timestamptz
  )`;

/**
 * A batch's share at one operator: its counts, its turn, and two windows of about ten seconds that tell its present rate.
 * A large batch is accepted as parts, which are unfolded into look-ups and requests when their turn comes: writing 200,000
 * rows takes longer than accepting a batch may. A request has no foreign key to its look-up, because both are written by one
 * statement and look-ups are never deleted; the check would cost half of the time.
 */
const POPULATION_REQUEST = [
  `create table population_share (
    batch_id uuid not null references population_batch (id),
    network_operator text collate "C" not null references throttle (network_operator),
    accepted integer not null,
    imported integer not null,
    errored integer not null,
    served_at timestamptz not null default '-infinity',
    window_at timestamptz not null default now(),
    window_count integer not null default 0,
    earlier_at timestamptz not null default now(),
    earlier_count integer not null default 0,
    primary key (batch_id, network_operator),
    check (imported >= 0 and errored >= 0 and imported + errored <= accepted)
  ) with (fillfactor = 50)`,
  'create index population_share_open on population_share (network_operator, batch_id) where imported + errored < accepted',
  `create table population_part (
    batch_id uuid not null,
    network_operator text collate "C" not null,
    part integer not null,
    identifiers text[] not null,
    is_cancelled boolean not null default false,
    primary key (batch_id, network_operator, part),
    foreign key (batch_id, network_operator) references population_share (batch_id, network_operator)
  )`,
  `create table population_request (
    batch_id uuid not null,
    network_operator text collate "C" not null,
    look_up_id bigint not null,
    state text not null check (state in ('pending', 'set-aside', 'imported', 'errored')),
    errored_reason text,
    primary key (look_up_id, batch_id),
    foreign key (batch_id, network_operator) references population_share (batch_id, network_operator),
    check ((state = 'errored') = (errored_reason is not null))
  )`,
  'create index population_request_state on population_request (batch_id, network_operator, state, look_up_id)',
];

/**
 * Writes outcomes of look-ups: the look-ups, all requests that wait for them, the counts of their batches, and batches
 * that are through with it. A function, because each of its statements sees what was committed while the one before
 * waited for a lock: a batch that names the identifier at this moment holds the look-up's row, and is counted then.
 */
const SETTLE = `
  create function settle_look_ups(ids bigint[], states text[], reasons text[], failures text[], due timestamptz[]) returns void language plpgsql volatile as $$
  declare
    batches uuid[];
  begin
    perform from look_up where id = any(ids) order by id for no key update;
    update look_up l set
      state = o.state, errored_reason = o.reason, last_failure = o.failure, due_at = o.due_at, is_taken = false,
      tries = case when o.state = 'set-aside' then l.tries + 1 else l.tries end,
      set_aside_at = case when o.state = 'set-aside' then coalesce(l.set_aside_at, now()) end,
      settled_at = case when o.state in ('imported', 'errored') then now() end
    from unnest(ids, states, reasons, failures, due) as o (id, state, reason, failure, due_at)
    where l.id = o.id;
    -- The batches first, in one order for all, so that of two operators that end a batch at once one sees the other.
    select array_agg(distinct batch_id) into batches from population_request where look_up_id = any(ids) and state in ('pending', 'set-aside');
    if batches is null then
      return;
    end if;
    perform from population_batch where id = any(batches) order by id for no key update;
    with moved as (
      update population_request r set state = o.state, errored_reason = o.reason
      from unnest(ids, states, reasons) as o (id, state, reason)
      where r.look_up_id = o.id and r.state in ('pending', 'set-aside')
      returning r.batch_id, r.network_operator, r.state
    ), counted as (
      select batch_id, network_operator, count(*) filter (where state = 'imported') as imported, count(*) filter (where state = 'errored') as errored
      from moved group by 1, 2
    )
    update population_share s set
      imported = s.imported + c.imported, errored = s.errored + c.errored,
      earlier_at = case when isnew then s.window_at else s.earlier_at end,
      earlier_count = case when isnew then s.window_count else s.earlier_count end,
      window_at = case when isnew then clock_timestamp() else s.window_at end,
      window_count = case when isnew then 0 else s.window_count end + c.imported + c.errored
    from (select c0.*, now() - s0.window_at > interval '10 seconds' as isnew from counted c0 join population_share s0 using (batch_id, network_operator)) c
    where s.batch_id = c.batch_id and s.network_operator = c.network_operator;
    update population_batch b set status = 'COMPLETED', ended_at = now()
    where b.id = any(batches) and b.status = 'IN_PROGRESS'
      and not exists (select from population_share s where s.batch_id = b.id and s.imported + s.errored < s.accepted);
  end $$`;

/**
 * Takes slots for calls, evenly spaced over all workers. None begins later than 0.4 s from now and a block spans 0.4 s, so
 * that a change of the speed holds a second later. \`wait_ms\` tells when to come again, -1 that the operator is paused.
 */
const TAKE_CALL_SLOTS = `
  create function take_call_slots(operator text, wanted integer, used_share float8) returns table (granted integer, first_ms float8, every_ms float8, wait_ms float8) language plpgsql volatile as $$
  declare
    t throttle;
    moment timestamptz;
    rate float8;
    beginning timestamptz;
  begin
    select * into t from throttle where network_operator = operator for no key update;
    moment := clock_timestamp();
    rate := used_share * least(t.requests_per_second, t.requests_per_hour / 3600);
    if rate <= 0 then
      return query select 0, 0::float8, 0::float8, -1::float8;
      return;
    end if;
    if t.blocked_until > moment or t.next_at > moment + interval '400 milliseconds' then
      return query select 0, 0::float8, 0::float8, 1000 * extract(epoch from greatest(t.blocked_until, t.next_at - interval '100 milliseconds') - moment)::float8;
      return;
    end if;
    granted := least(wanted, greatest(1, floor(rate * 0.4)::integer));
    beginning := greatest(t.next_at, moment);
    update throttle set next_at = beginning + make_interval(secs => granted / rate) where network_operator = operator;
    return query select granted, 1000 * extract(epoch from beginning - moment)::float8, 1000 / rate, 0::float8;
  end $$`;

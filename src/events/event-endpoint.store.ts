import type { EntityManager } from '@mikro-orm/postgresql';
import { workflowIds } from '../../temporal.config.ts';
import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import { completeWork, enqueueWork, type WorkItem } from '../platform/work-items/work-item.store.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';

/** An endpoint as it is stored, without its secrets. */
export interface EndpointRecord {
  id: string;
  importSupplier: string;
  organisation: string | null;
  url: string;
  position: string;
  oldSecretUntil: Date | null;
  deliveredAt: Date | null;
  failingSince: Date | null;
  failure: string | null;
  createdAt: Date;
  endedAt: Date | null;
  endedBecause: 'gone' | 'removed' | null;
}
type EndpointRow = EndpointRecord & Record<string, unknown>;

/** An endpoint that takes events. */
export interface OpenEndpoint {
  importSupplier: string;
  organisation: string | null;
  url: string;
  position: string;
  /** Those that sign: the new one first, while it is changed. */
  secrets: string[];
}

/** How long both secrets sign after a change. */
const BOTH_SIGN_HOURS = 24;

const COLUMNS = `e.id, e.import_supplier as "importSupplier", e.organisation, e.url, e.position, e.delivered_at as "deliveredAt", e.failing_since as "failingSince",
  e.failure, e.created_at as "createdAt", e.ended_at as "endedAt", e.ended_because as "endedBecause",
  case when e.old_secret_until > now() then e.old_secret_until end as "oldSecretUntil"`;

// What comes from now on: events that have no position yet are a moment old at most.
const INSERT: PreparedQuery = {
  name: 'event-endpoint-insert',
  text: `
    insert into event_endpoint as e (id, import_supplier, organisation, url, secret, position)
    select $1, i.code, $3, $4, $5, s.position from import_supplier i, event_sequence s where i.code = $2 and s.name = 'events'
    on conflict (id) do nothing returning ${COLUMNS}`,
};

const LIST: PreparedQuery = {
  name: 'event-endpoints-list',
  text: `select ${COLUMNS} from event_endpoint e order by e.ended_at is not null, e.import_supplier, e.id`,
};

const FIND: PreparedQuery = {
  name: 'event-endpoint-find',
  text: `select ${COLUMNS} from event_endpoint e where e.id = $1`,
};

/** Most waiting events that are counted. */
export const WAITING_COUNTED_MAX = 1_000;
const WAITING: PreparedQuery = {
  name: 'event-endpoint-waiting',
  text: `
    select count(*)::integer as count, min(occurred_at) as since from (
      select occurred_at from event
      where import_supplier = $1 and position > $2 and (organisation is null or organisation = $3) order by position limit ${WAITING_COUNTED_MAX}) waiting`,
};

const CHANGE_SECRET: PreparedQuery = {
  name: 'event-endpoint-change-secret',
  text: `
    update event_endpoint e set secret = $2, old_secret = secret, old_secret_until = now() + make_interval(hours => ${BOTH_SIGN_HOURS})
    where id = $1 and ended_at is null returning ${COLUMNS}`,
};

const END: PreparedQuery = {
  name: 'event-endpoint-end',
  text: `
    update event_endpoint e set ended_at = now(), ended_because = $2, failing_since = null, failure = null, old_secret = null, old_secret_until = null
    where id = $1 and ended_at is null returning ${COLUMNS}`,
};

const OPEN: PreparedQuery = {
  name: 'event-endpoint-open',
  text: `
    select import_supplier as "importSupplier", organisation, url, position,
      array_remove(array[secret, case when old_secret_until > now() then old_secret end], null) as secrets
    from event_endpoint where id = $1 and ended_at is null`,
};

/** A late attempt does not set back what a later one has delivered. */
const DELIVERED: PreparedQuery = {
  name: 'event-endpoint-delivered',
  text: `
    update event_endpoint set position = $2, delivered_at = now(), failing_since = null, failure = null
    where id = $1 and position < $2::bigint`,
};

/** Nor does it tell of a failure that is over. */
const FAILED: PreparedQuery = {
  name: 'event-endpoint-failed',
  text: `update event_endpoint set failing_since = coalesce(failing_since, now()), failure = $3 where id = $1 and position < $2::bigint and ended_at is null`,
};

// By a scalar subquery: of an `exists` the planner makes a hash, for which it reads every event.
const WITH_EVENTS: PreparedQuery = {
  name: 'event-endpoints-with-events',
  text: `
    select e.id, e.import_supplier as "importSupplier" from event_endpoint e
    where e.ended_at is null and (
      select true from event v
      where v.import_supplier = e.import_supplier and v.position > e.position and (v.organisation is null or v.organisation = e.organisation)
      limit 1)`,
};

const KNOWN: PreparedQuery = {
  name: 'event-endpoint-known-names',
  text: `
    select exists (select from import_supplier where code = $1) as supplier,
      $2::text is null or exists (select from organisation where name = $2) as organisation`,
};

/** Finds which of the names that an endpoint is to have are not known. */
export async function findUnknownNames(
  em: EntityManager,
  importSupplier: string,
  organisation: string | null,
): Promise<Violation[]> {
  const [known] = await run<{ supplier: boolean; organisation: boolean }>(em, KNOWN, [importSupplier, organisation]);
  return [
    ...(known?.supplier ? [] : [violation('invalid_choice', ['import_supplier'], 'There is no such import supplier.')]),
    ...(known?.organisation ? [] : [violation('invalid_choice', ['organisation'], 'There is no such organisation.')]),
  ];
}

/** An endpoint to be. */
export interface NewEndpoint {
  id: string;
  importSupplier: string;
  organisation: string | null;
  url: string;
  secret: string;
}

/** Writes an endpoint that gets what happens from now on; its names are known (`findUnknownNames`). Undefined where the id is there already. */
export async function insertEndpoint(em: EntityManager, endpoint: NewEndpoint): Promise<EndpointRecord | undefined> {
  const { id, importSupplier, organisation, url, secret } = endpoint;
  const [record] = await run<EndpointRow>(em, INSERT, [id, importSupplier, organisation, url, secret]);
  return record;
}

/** All endpoints; those that have ended come last. */
export async function listEndpoints(on: Queryable): Promise<EndpointRecord[]> {
  return run<EndpointRow>(on, LIST, []);
}

/** One endpoint, ended or not. */
export async function findEndpoint(on: Queryable, id: string): Promise<EndpointRecord | undefined> {
  const [record] = await run<EndpointRow>(on, FIND, [id]);
  return record;
}

/** What an endpoint has not taken yet: how many events, at most `WAITING_COUNTED_MAX`, and since when. */
export async function countWaiting(
  on: Queryable,
  { importSupplier, position, organisation }: EndpointRecord,
): Promise<{ count: number; since: Date | null }> {
  const [row] = await run<{ count: number; since: Date | null }>(on, WAITING, [importSupplier, position, organisation]);
  return row!;
}

/** Gives an endpoint a new secret; the former one signs too for a day. Undefined if it does not exist or has ended. */
export async function changeSecret(em: EntityManager, id: string, secret: string): Promise<EndpointRecord | undefined> {
  const [record] = await run<EndpointRow>(em, CHANGE_SECRET, [id, secret]);
  return record;
}

/** Ends an endpoint with its pending work. Undefined if it does not exist or has ended. */
export async function endEndpoint(
  em: EntityManager,
  id: string,
  because: 'gone' | 'removed',
): Promise<EndpointRecord | undefined> {
  const [record] = await run<EndpointRow>(em, END, [id, because]);
  if (record !== undefined) await completeWork(em, [workflowIds.deliverEvents(id)]);
  return record;
}

/** An endpoint with its secrets, for a delivery; undefined when it takes no more. */
export async function findOpenEndpoint(on: Queryable, id: string): Promise<OpenEndpoint | undefined> {
  const [endpoint] = await run<OpenEndpoint & Record<string, unknown>>(on, OPEN, [id]);
  return endpoint;
}

/** Notes that all events up to a position are delivered. */
export async function noteDelivered(on: Queryable, id: string, position: string): Promise<void> {
  await run(on, DELIVERED, [id, position]);
}

/** Notes why an endpoint did not take the event at a position. */
export async function noteFailed(on: Queryable, id: string, position: string, why: string): Promise<void> {
  await run(on, FAILED, [id, position, why]);
}

/** Enqueues a run for each endpoint that has events to come; one that has its run already is left alone. */
export async function enqueueDeliveries(on: Queryable): Promise<void> {
  const endpoints = await run<{ id: string; importSupplier: string }>(on, WITH_EVENTS, []);
  const works = endpoints.map(({ id, importSupplier }): WorkItem => ({
    workflowId: workflowIds.deliverEvents(id),
    kind: 'deliver-events',
    input: { endpointId: id, importSupplier },
  }));
  await enqueueWork(on, works, 0);
}

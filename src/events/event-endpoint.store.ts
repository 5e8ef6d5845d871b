import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { workflowIds } from '../../temporal.config.ts';
import type { OrganisationTable } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import { kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';
import { completeWork, enqueueWork, type WorkItem } from '../platform/work-items/work-item.store.ts';
import { findSupplierByCode } from '../suppliers/index.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import { isOldValid } from './event.rules.ts';
import { EventEndpoint, EventSequence, type EventEndpointTable, type EventTable } from './event.entity.ts';

/** An endpoint that accepts events. */
export interface OpenEndpoint {
  importSupplier: string;
  organisation: string | null;
  url: string;
  position: string;
  /** The signing secrets; the new one first while two are valid. */
  secrets: string[];
}

/** How long both secrets sign after a change. */
const BOTH_SIGN_MS = 86_400_000;
/** Most waiting events counted. */
export const WAITING_COUNTED_MAX = 1_000;

/** Checks that the import supplier and the organisation of a new endpoint exist. */
export async function findUnknownNames(
  em: EntityManager,
  importSupplier: string,
  organisation: string | null,
): Promise<Violation[]> {
  const supplier = await findSupplierByCode(em, importSupplier);
  const isKnown =
    organisation === null ||
    (await kyselyOf<OrganisationTable>(em)
      .selectFrom('organisation')
      .select('name')
      .where('name', '=', organisation)
      .executeTakeFirst()) !== undefined;
  return [
    ...(supplier ? [] : [violation('invalid_choice', ['import_supplier'], 'There is no such import supplier.')]),
    ...(isKnown ? [] : [violation('invalid_choice', ['organisation'], 'There is no such organization.')]),
  ];
}

/** Stores an endpoint that receives events from now on. @returns undefined if the id exists already */
export async function insertEndpoint(
  em: EntityManager,
  endpoint: Pick<EventEndpoint, 'id' | 'importSupplier' | 'organisation' | 'url' | 'secret'>,
): Promise<EventEndpoint | undefined> {
  // The endpoint also receives events that have no position yet; these are only moments old.
  const { position } = await em.findOneOrFail(EventSequence, { name: 'events' });
  const { id, importSupplier, organisation, url, secret } = endpoint;
  const row = { id, import_supplier: importSupplier, organisation, url, secret, position };
  const { numInsertedOrUpdatedRows: inserted } = await kyselyOf<EventEndpointTable>(em)
    .insertInto('event_endpoint')
    .values({ ...row, created_at: sql<Date>`now()` })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow();
  return inserted === 1n ? em.findOneOrFail(EventEndpoint, { id }) : undefined;
}

/** All endpoints; ended ones come last. */
export async function listEndpoints(database: Database): Promise<EventEndpoint[]> {
  const endpoints = await database.em().find(EventEndpoint, {}, { orderBy: { importSupplier: 'asc', id: 'asc' } });
  return [...endpoints.filter(({ endedAt }) => !endedAt), ...endpoints.filter(({ endedAt }) => endedAt)];
}

/** One endpoint, ended or not. */
export async function findEndpoint(database: Database, id: string): Promise<EventEndpoint | undefined> {
  return (await database.em().findOne(EventEndpoint, { id })) ?? undefined;
}

/** Counts the events that an endpoint has not received, up to `WAITING_COUNTED_MAX`, with the time of the oldest. */
export async function countWaiting(
  on: Queryable,
  { importSupplier, position, organisation = null }: EventEndpoint,
): Promise<{ count: number; since: Date | null }> {
  const waiting = await kyselyOf<EventTable>(on)
    .selectFrom('event')
    .select('occurred_at as occurredAt')
    .where('import_supplier', '=', importSupplier)
    .where('position', '>', position)
    .where(({ or, eb }) => or([eb('organisation', 'is', null), eb('organisation', '=', organisation)]))
    .orderBy('position')
    .limit(WAITING_COUNTED_MAX)
    .execute();
  const since = waiting.length === 0 ? null : new Date(Math.min(...waiting.map((event) => +event.occurredAt)));
  return { count: waiting.length, since };
}

/** Changes the secret of an endpoint; the former one also signs for a day. @returns undefined if it does not exist or has ended */
export async function changeSecret(em: EntityManager, id: string, secret: string): Promise<EventEndpoint | undefined> {
  return changeOpenEndpoint(em, id, ({ secret: oldSecret }) => ({
    secret,
    oldSecret,
    oldSecretUntil: new Date(Date.now() + BOTH_SIGN_MS),
  }));
}

/** Ends an endpoint and completes its work item. @returns undefined if it does not exist or has ended */
export async function endEndpoint(
  em: EntityManager,
  id: string,
  endedBecause: 'gone' | 'removed',
): Promise<EventEndpoint | undefined> {
  const cleared = { failingSince: null, failure: null, oldSecret: null, oldSecretUntil: null };
  const ended = await changeOpenEndpoint(em, id, () => ({ endedAt: new Date(), endedBecause, ...cleared }));
  if (ended !== undefined) await completeWork(em, [workflowIds.deliverEvents(id)]);
  return ended;
}

async function changeOpenEndpoint(
  em: EntityManager,
  id: string,
  change: (endpoint: EventEndpoint) => Partial<EventEndpoint>,
): Promise<EventEndpoint | undefined> {
  const endpoint = await em.findOne(EventEndpoint, { id, endedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (endpoint === null) return undefined;
  em.assign(endpoint, change(endpoint));
  await em.flush();
  return endpoint;
}

/** An endpoint with its secrets, for a delivery; undefined if it accepts no more events. */
export async function findOpenEndpoint(database: Database, id: string): Promise<OpenEndpoint | undefined> {
  const endpoint = await database.em().findOne(EventEndpoint, { id, endedAt: null });
  if (endpoint === null) return undefined;
  const { importSupplier, organisation = null, url, position, secret, oldSecret } = endpoint;
  const secrets = isOldValid(endpoint) ? [secret, oldSecret!] : [secret];
  return { importSupplier, organisation, url, position, secrets };
}

/** Records that all events up to a position are delivered. A late attempt never sets the position back. */
export async function noteDelivered(database: Database, id: string, position: string): Promise<void> {
  const delivered = { position, deliveredAt: new Date(), failingSince: null, failure: null };
  await database.em().nativeUpdate(EventEndpoint, { id, position: { $lt: position } }, delivered);
}

/** Records why an endpoint rejected the event at a position, unless another attempt has delivered it. */
export async function noteFailed(database: Database, id: string, position: string, failure: string): Promise<void> {
  await kyselyOf<EventEndpointTable>(database)
    .updateTable('event_endpoint')
    .set({ failing_since: sql<Date>`coalesce(failing_since, now())`, failure })
    .where('id', '=', id)
    .where('position', '<', position)
    .where('ended_at', 'is', null)
    .execute();
}

/** Enqueues a run for each endpoint with waiting events. A work item that exists is kept. */
export async function enqueueDeliveries(on: Queryable): Promise<void> {
  const endpoints = await kyselyOf<EventEndpointTable & EventTable>(on)
    .selectFrom('event_endpoint as e')
    .select(['e.id', 'e.import_supplier as importSupplier'])
    .where('e.ended_at', 'is', null)
    .where(({ selectFrom }) =>
      // A scalar subquery, because for `exists` the planner hashes all events.
      selectFrom('event as v')
        .select(sql<boolean>`true`.as('waits'))
        .whereRef('v.import_supplier', '=', 'e.import_supplier')
        .whereRef('v.position', '>', 'e.position')
        .where(({ or, eb, ref }) =>
          or([eb('v.organisation', 'is', null), eb('v.organisation', '=', ref('e.organisation'))]),
        )
        .limit(1)
        .$asScalar(),
    )
    .execute();
  const works = endpoints.map(({ id, importSupplier }): WorkItem => ({
    workflowId: workflowIds.deliverEvents(id),
    kind: 'deliver-events',
    input: { endpointId: id, importSupplier },
  }));
  // No head start: only the dispatcher starts these runs.
  await enqueueWork(on, works, 0);
}

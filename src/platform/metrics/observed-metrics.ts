import type { Attributes, Meter } from '@opentelemetry/api';
import type { Pool } from 'pg';
import { misconfigurationOf } from '../database/connection-watch.ts';
import type { ConnectionCounts } from '../http/connection-limit.ts';
import type { LargeBodyGate } from '../http/large-body-gate.ts';
import { createShortCache } from '../short-cache.ts';
import type { Dispatcher } from '../work-items/dispatcher-lease.store.ts';
import type { DueKind } from '../work-items/work-item.store.ts';

const gauge = (description: string, unit?: 's' | 'By') => ({ kind: 'gauge', description, unit }) as const;
const counter = (description: string, unit?: 's' | 'By') => ({ kind: 'counter', description, unit }) as const;

/** The metrics that are read when Prometheus collects them. */
const metrics = {
  'build.info': gauge('1, with release and commit of the process.'),
  'process.cpu.time': counter('Processor time used.', 's'),
  'process.memory.usage': gauge('Memory that the system counts for the process.', 'By'),
  'v8js.memory.heap.used': gauge('Heap in use.', 'By'),
  'process.uptime': gauge('Time since the start.', 's'),
  'nodejs.eventloop.delay.p99': gauge('Delay of the event loop since it was last read.', 's'),
  'nodejs.eventloop.delay.max': gauge('Longest delay of the event loop since it was last read.', 's'),
  'import.queue.waiting': gauge('Creation requests that wait for a run.'),
  'import.queue.open_runs': gauge('Creation runs that have not ended.'),
  'import.queue.places_taken': gauge('Creation runs that hold a slot.'),
  'http.server.large_bodies.size': gauge('Bytes of large request bodies in progress.', 'By'),
  'http.server.large_bodies.waiting': gauge('Large request bodies that wait for capacity.'),
  'http.server.large_bodies.refused': counter('Large request bodies rejected because there was no capacity in time.'),
  'http.server.connections.open': gauge('Connections to the API.'),
  'http.server.connections.max': gauge('Limit of connections to the API.'),
  'http.server.connections.refused': counter('Rejected connections, by the limit that was reached.'),
  'http.server.connections.evicted': counter('Connections without a request that were closed for a new one.'),
  'db.client.connection.count': gauge('Database connections by state.'),
  'db.client.connection.pending_requests': gauge('Requests that wait for a database connection.'),
  'db.client.connection.max': gauge('Limit of connections of the pool.'),
  'db.client.misconfigured': gauge(
    '1 while the database rejects the settings of the pool: user, password, database name or rights.',
  ),
  'import.numbers.held_back': gauge(
    '1 while no account numbers and business ids can be reserved, so that no account can be created.',
  ),
  'work_items.due': gauge('Scheduled work that is due but not started, by kind.'),
  'work_items.oldest_due.age': gauge('Time since the oldest of it was due.', 's'),
  'work_items.last_sweep.age': gauge('Time since the last complete round of the dispatcher.', 's'),
  'work_items.dispatcher': gauge('The process that dispatches scheduled work: 1, or 2 if it does not respond.'),
  'creation_slots.held': gauge('Slots of the concurrency limit that are held.'),
  'creation_slots.oldest.age': gauge('How long the oldest of them has been held.', 's'),
  'dependency.ready': gauge(
    '1 while the process can use its database, and while Temporal accepts workflow starts; otherwise 0.',
  ),
  'partner.resting': gauge('1 while the circuit breaker of a worker is open for an outside party.'),
  'partner.last_answer.age': gauge(
    'Time since the last response of an outside party; parties that were never called are omitted.',
    's',
  ),
  'look_ups.pending': gauge('Pending identifiers of open batches; an identifier in several batches counts for each.'),
  'look_ups.rate': gauge('Recent number of completed lookups per second.'),
  'look_ups.usable_rate': gauge('What lookups run at where there are enough of them: the set speed less a margin.'),
  'credentials.expire_time': gauge(
    'Expiry of a credential, in seconds since 1970: client certificates by the name of their setting, and the next API key.',
    's',
  ),
  stuck: gauge(
    'Stuck work: failing runs and pending decisions, by cause and by the party that has to act (`operator`: a decision).',
  ),
  'stuck.oldest.age': gauge('How long the oldest of it has been stuck.', 's'),
  'retention.deleted': counter(
    'Payloads, accounts that were never created, audit entries and responses by Idempotency-Key that retention has deleted.',
  ),
  'retention.last_completed.age': gauge(
    'Time since the last complete deletion of due data; more than two days is late.',
    's',
  ),
  'audit.unsealed.age': gauge(
    'Age of the oldest audit entry that is in no block of the chain; 0 if there is none.',
    's',
  ),
  'audit.blocks': counter('Blocks of the chain of the audit.'),
  'audit.findings': gauge('Differences between the audit and its chain in the last verification.'),
  'audit.last_verification.age': gauge('Time since the start of the last complete verification of the audit.', 's'),
  'import_jobs.stored': gauge('Uploaded parts of import jobs that are stored, compressed.', 'By'),
  waves: gauge('Waves that have not ended, by status.'),
  'waves.past_plan': gauge('Waves whose plan has ended although not all their accounts are created.'),
} as const;

/** Reports a value of a metric. */
export type Observe = (metric: keyof typeof metrics, value: number, labels?: Attributes) => void;

/** Scheduled work of the whole service that is due, the dispatcher, and the slots of the concurrency limit. */
export interface Backlog {
  kinds: DueKind[];
  dispatcher: Dispatcher;
  slots: { held: number; oldestAcquiredAt: Date | null };
}

/** State of the service and its dependencies. Unknown parts are omitted. */
export interface MeasuredState {
  isDatabaseReady: boolean;
  isTemporalReady: boolean;
  parties: readonly { party: string; answeredAt: Date | null; pausedUntil: Date | null }[];
  lookups: readonly { networkOperator: string; pending: number; perSecond: number; usedPerSecond: number }[];
  /** Expiry times of credentials. */
  credentials: readonly { credential: string; expiresAt: Date }[];
}

/** State of the chain of the audit. */
export interface MeasuredAuditChain {
  blocks: number;
  /** Time of the oldest entry that is in no block. */
  unsealedSince: Date | null;
  /** The last complete verification. */
  verification: { findings: number; startedAt: Date } | null;
}

/** Metrics of what this process knows itself. */
const ofProcess = {
  /** The creation queue. */
  queue: (observe: Observe, queue: { waitingRequests: number; openRuns: number; slotsInUse: number }) => {
    observe('import.queue.waiting', queue.waitingRequests);
    observe('import.queue.open_runs', queue.openRuns);
    observe('import.queue.places_taken', queue.slotsInUse);
  },
  largeBodies: (observe: Observe, gate: ReturnType<LargeBodyGate['state']>) => {
    observe('http.server.large_bodies.size', gate.bytesInFlight);
    observe('http.server.large_bodies.waiting', gate.waiting);
    observe('http.server.large_bodies.refused', gate.refused);
  },
  connections: (observe: Observe, counts: ConnectionCounts) => {
    observe('http.server.connections.open', counts.open);
    observe('http.server.connections.max', counts.max);
    observe('http.server.connections.refused', counts.refusedOverAll, { limit: 'over_all' });
    observe('http.server.connections.refused', counts.refusedOfAddress, { limit: 'address' });
    observe('http.server.connections.evicted', counts.evicted);
  },
  pools: (observe: Observe, pools: ReadonlyMap<string, Pool>) => {
    for (const [name, pool] of pools) {
      const labels = { 'db.client.connection.pool.name': name };
      const used = pool.totalCount - pool.idleCount;
      observe('db.client.connection.count', pool.idleCount, { ...labels, 'db.client.connection.state': 'idle' });
      observe('db.client.connection.count', used, { ...labels, 'db.client.connection.state': 'used' });
      observe('db.client.connection.pending_requests', pool.waitingCount, labels);
      observe('db.client.connection.max', pool.options.max ?? 0, labels);
      observe('db.client.misconfigured', misconfigurationOf(pool) === undefined ? 0 : 1, labels);
    }
  },
  numbers: (observe: Observe, areUnavailable: boolean) => observe('import.numbers.held_back', areUnavailable ? 1 : 0),
};

/** Metrics of the whole service, whichever process reports them. They are omitted while the database is down. */
const ofService = {
  backlog: (observe: Observe, { kinds, dispatcher, slots }: Backlog) => {
    for (const { kind, due, oldestDueAt } of kinds) {
      observe('work_items.due', due, { kind });
      observe('work_items.oldest_due.age', secondsSince(oldestDueAt), { kind });
    }
    const { holder, isOverdue, lastSweptAt } = dispatcher;
    if (lastSweptAt !== null) observe('work_items.last_sweep.age', secondsSince(lastSweptAt));
    if (holder !== null) observe('work_items.dispatcher', isOverdue ? 2 : 1, { holder });
    observe('creation_slots.held', slots.held);
    if (slots.oldestAcquiredAt !== null) observe('creation_slots.oldest.age', secondsSince(slots.oldestAcquiredAt));
  },
  state: (observe: Observe, { isDatabaseReady, isTemporalReady, parties, lookups, credentials }: MeasuredState) => {
    observe('dependency.ready', isDatabaseReady ? 1 : 0, { dependency: 'database' });
    observe('dependency.ready', isTemporalReady ? 1 : 0, { dependency: 'temporal' });
    for (const { party, answeredAt, pausedUntil } of parties) {
      observe('partner.resting', pausedUntil === null ? 0 : 1, { partner: party });
      if (answeredAt !== null) observe('partner.last_answer.age', secondsSince(answeredAt), { partner: party });
    }
    for (const load of lookups) {
      const labels = { network_operator: load.networkOperator };
      observe('look_ups.pending', load.pending, labels);
      observe('look_ups.rate', load.perSecond, labels);
      observe('look_ups.usable_rate', load.usedPerSecond, labels);
    }
    for (const { credential, expiresAt } of credentials) {
      observe('credentials.expire_time', expiresAt.getTime() / 1_000, { credential });
    }
  },
  stuck: (observe: Observe, works: readonly { cause: string; party: string; count: number; oldest: Date }[]) => {
    for (const { cause, party, count, oldest } of works) {
      observe('stuck', count, { cause, party });
      observe('stuck.oldest.age', secondsSince(oldest), { cause, party });
    }
  },
  retention: (observe: Observe, classes: readonly { class: string; deleted: number; completedAt: Date }[]) => {
    for (const { class: ofClass, deleted, completedAt } of classes) {
      observe('retention.deleted', deleted, { class: ofClass });
      observe('retention.last_completed.age', secondsSince(completedAt), { class: ofClass });
    }
  },
  auditChain: (observe: Observe, { blocks, unsealedSince, verification }: MeasuredAuditChain) => {
    observe('audit.blocks', blocks);
    observe('audit.unsealed.age', unsealedSince === null ? 0 : secondsSince(unsealedSince));
    if (verification === null) return;
    observe('audit.findings', verification.findings);
    observe('audit.last_verification.age', secondsSince(verification.startedAt));
  },
  storedJobs: (observe: Observe, organisations: readonly { organisation: string; bytes: number }[]) => {
    for (const { organisation, bytes } of organisations) observe('import_jobs.stored', bytes, { organisation });
  },
  waves: (observe: Observe, states: readonly { status: string; waves: number; pastPlan: number }[]) => {
    for (const { status, waves } of states) observe('waves', waves, { status });
    observe(
      'waves.past_plan',
      states.reduce((sum, { pastPlan }) => sum + pastPlan, 0),
    );
  },
};

type Reading<
  Reports extends Record<string, (observe: Observe, found: never) => void>,
  Kind extends keyof Reports,
> = Parameters<Reports[Kind]>[1];

export interface Observers {
  /** Observes a part of this process. Like the other member, only the first call per process and kind has an effect. */
  observe<Kind extends keyof typeof ofProcess>(kind: Kind, read: () => Reading<typeof ofProcess, Kind>): void;
  /** Observes a part of the whole service. Readings are cached for some seconds. */
  observeService<Kind extends keyof typeof ofService>(
    kind: Kind,
    read: () => Promise<Reading<typeof ofService, Kind>>,
  ): void;
}

/** Minimum interval between reads of the database. */
const READ_EVERY_MS = 5_000;

/** Creates the observed metrics of a process. API and worker in one process share them. */
export function createObservers(meter: Meter): Observers & { add: (report: (observe: Observe) => unknown) => void } {
  const created = new Map(
    Object.entries(metrics).map(([name, { kind, description, unit }]) => {
      const options = { description, ...(unit === undefined ? {} : { unit }) };
      const create = kind === 'gauge' ? meter.createObservableGauge : meter.createObservableCounter;
      return [name, create.call(meter, name, options)];
    }),
  );
  const observed = new Set<string>();
  const add = (report: (observe: Observe) => unknown): void =>
    meter.addBatchObservableCallback(
      async (result) => {
        await report((metric, value, labels) => result.observe(created.get(metric)!, value, labels));
      },
      [...created.values()],
    );
  const isNew = (kind: string) => !observed.has(kind) && observed.add(kind);
  return {
    add,
    observe: (kind, read) => {
      const report = ofProcess[kind] as (observe: Observe, found: unknown) => void;
      if (isNew(kind)) add((observe) => report(observe, read()));
    },
    observeService: (kind, read) => {
      const report = ofService[kind] as (observe: Observe, found: unknown) => void;
      const cache = createShortCache<'found', { found: unknown }>({
        load: async () => ({ found: await read().catch(() => undefined) }),
        forMs: READ_EVERY_MS,
      });
      if (!isNew(kind)) return;
      add(async (observe) => {
        const { found } = await cache.fetch('found');
        if (found !== undefined) report(observe, found);
      });
    },
  };
}

/** Seconds since a time; 0 if it is in the future because of clock differences. */
function secondsSince(moment: Date): number {
  return Math.max(0, (Date.now() - moment.getTime()) / 1_000);
}

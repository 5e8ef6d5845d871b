import type { Meter } from '@opentelemetry/api';
import { observeCached, secondsSince } from './observe-cached.ts';

/** State of the service and its dependencies. Unknown parts are omitted. */
export interface MeasuredState {
  isDatabaseReady: boolean;
  isTemporalReady: boolean;
  parties: readonly { party: string; answeredAt: Date | null; pausedUntil: Date | null }[];
  lookups: readonly { networkOperator: string; pending: number; perSecond: number; usedPerSecond: number }[];
  /** Expiry times of credentials. */
  credentials: readonly { credential: string; expiresAt: Date }[];
}

/**
 * Measures outside parties, lookups, the database, Temporal, and the expiry of credentials. The figures of parties and lookups cover the
 * whole service, whichever process reports them.
 * @param read returns the known parts, even without the database
 */
export function observeState(meter: Meter, read: () => Promise<MeasuredState>): void {
  const ready = meter.createObservableGauge('dependency.ready', {
    description: '1 while the process can use its database, and while Temporal accepts workflow starts; otherwise 0.',
  });
  const resting = meter.createObservableGauge('partner.resting', {
    description: '1 while the circuit breaker of a worker is open for an outside party.',
  });
  const answered = meter.createObservableGauge('partner.last_answer.age', {
    description: 'Time since the last response of an outside party; parties that were never called are omitted.',
    unit: 's',
  });
  const pending = meter.createObservableGauge('look_ups.pending', {
    description: 'Pending identifiers of open batches; an identifier in several batches counts for each.',
  });
  const rate = meter.createObservableGauge('look_ups.rate', {
    description: 'Recent number of completed lookups per second.',
  });
  const usable = meter.createObservableGauge('look_ups.usable_rate', {
    description: 'What lookups run at where there are enough of them: the set speed less a margin.',
  });
  const ends = meter.createObservableGauge('credentials.expire_time', {
    description:
      'Expiry of a credential, in seconds since 1970: client certificates by the name of their setting, and the next API key.',
    unit: 's',
  });
  observeCached(meter, [ready, resting, answered, pending, rate, usable, ends], read, (found, result) => {
    const { isDatabaseReady, isTemporalReady, parties, lookups, credentials } = found;
    result.observe(ready, isDatabaseReady ? 1 : 0, { dependency: 'database' });
    result.observe(ready, isTemporalReady ? 1 : 0, { dependency: 'temporal' });
    for (const { party, answeredAt, pausedUntil } of parties) {
      result.observe(resting, pausedUntil === null ? 0 : 1, { partner: party });
      if (answeredAt !== null) result.observe(answered, secondsSince(answeredAt), { partner: party });
    }
    for (const load of lookups) {
      const labels = { network_operator: load.networkOperator };
      result.observe(pending, load.pending, labels);
      result.observe(rate, load.perSecond, labels);
      result.observe(usable, load.usedPerSecond, labels);
    }
    for (const { credential, expiresAt } of credentials) {
      result.observe(ends, expiresAt.getTime() / 1_000, { credential });
    }
  });
}

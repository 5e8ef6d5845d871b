import type { Meter } from '@opentelemetry/api';
import { observeCached, secondsSince } from './observe-cached.ts';

/** Stuck work with the same cause and party. */
export interface MeasuredStuck {
  cause: string;
  party: string;
  count: number;
  oldest: Date;
}

/** Measures stuck work of the whole service, by cause and by the party that has to act. Omitted while the database is down. */
export function observeStuck(meter: Meter, read: () => Promise<readonly MeasuredStuck[]>): void {
  const stuck = meter.createObservableGauge('stuck', {
    description:
      'Stuck work: failing runs and pending decisions, by cause and by the party that has to act (`operator`: a decision).',
  });
  const age = meter.createObservableGauge('stuck.oldest.age', {
    description: 'How long the oldest of it has been stuck.',
    unit: 's',
  });
  observeCached(meter, [stuck, age], read, (counts, result) => {
    for (const { cause, party, count, oldest } of counts) {
      result.observe(stuck, count, { cause, party });
      result.observe(age, secondsSince(oldest), { cause, party });
    }
  });
}

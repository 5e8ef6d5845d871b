import type { Meter } from '@opentelemetry/api';
import type { ConnectionCounts } from '../http/connection-limit.ts';

/** Measures the connections of the API, including connections refused or closed by its limits. */
export function observeConnections(meter: Meter, counts: () => ConnectionCounts): void {
  const open = meter.createObservableGauge('http.server.connections.open', { description: 'Connections to the API.' });
  const max = meter.createObservableGauge('http.server.connections.max', {
    description: 'Limit of connections to the API.',
  });
  const refused = meter.createObservableCounter('http.server.connections.refused', {
    description: 'Rejected connections, by the limit that was reached.',
  });
  const evicted = meter.createObservableCounter('http.server.connections.evicted', {
    description: 'Connections without a request that were closed for a new one.',
  });
  meter.addBatchObservableCallback(
    (result) => {
      const now = counts();
      result.observe(open, now.open);
      result.observe(max, now.max);
      result.observe(refused, now.refusedOverAll, { limit: 'over_all' });
      result.observe(refused, now.refusedOfAddress, { limit: 'address' });
      result.observe(evicted, now.evicted);
    },
    [open, max, refused, evicted],
  );
}

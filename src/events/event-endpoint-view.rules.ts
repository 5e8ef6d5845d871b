import type { EventEndpointView } from './event-endpoint.schema.ts';
import type { EndpointRecord } from './event-endpoint.store.ts';

/** An endpoint as operators and the audit see it. */
export function viewOfEndpoint(record: EndpointRecord): EventEndpointView {
  return {
    endpoint_id: record.id,
    import_supplier: record.importSupplier,
    organisation: record.organisation,
    url: withoutQuery(record.url),
    old_secret_until: record.oldSecretUntil?.toISOString() ?? null,
    delivered_at: record.deliveredAt?.toISOString() ?? null,
    failing_since: record.failingSince?.toISOString() ?? null,
    failure: record.failure,
    created_at: record.createdAt.toISOString(),
    ended_at: record.endedAt?.toISOString() ?? null,
    ended_because: record.endedBecause,
  };
}

/** Receivers put tokens into the query, so it is shown as `?***`. */
function withoutQuery(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === '' ? '' : '?***'}`;
}

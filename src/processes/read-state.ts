import { X509Certificate } from 'node:crypto';
import { findNextKeyEnd } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import { databaseState } from '../platform/database/database-state.ts';
import type { MeasuredState } from '../platform/metrics/observed-metrics.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { findPartyStates } from '../platform/vendor-http/party-health.store.ts';
import { findLookupLoads } from '../supply-points/index.ts';

/** Settings with a client certificate. */
const CERTIFICATES = ['TEMPORAL_TLS_CERTIFICATE', 'ENEDIS_SGE_CERTIFICATE'] as const;

/** Reads the state of the service for the metrics. Without the database it contains only what the process itself knows. */
export async function readState({
  database,
  gateway,
  secrets,
}: {
  database: Database;
  gateway: Pick<TemporalGateway, 'isReady'>;
  secrets: Pick<Secrets, 'of'>;
}): Promise<MeasuredState> {
  const [state, isTemporalReady] = await Promise.all([databaseState(database), gateway.isReady()]);
  const certificates = CERTIFICATES.flatMap((name) => endOf(name, secrets.of(name).value()));
  const own = { isDatabaseReady: state === 'ok', isTemporalReady };
  const found = own.isDatabaseReady ? await readStored(database).catch(() => undefined) : undefined;
  if (found === undefined) return { ...own, parties: [], lookups: [], credentials: certificates };
  const [parties, lookups, keyEnd] = found;
  const keys = keyEnd === undefined ? [] : [{ credential: 'API key', expiresAt: keyEnd }];
  return { ...own, parties, lookups, credentials: [...certificates, ...keys] };
}

function readStored(database: Database) {
  return Promise.all([findPartyStates(database), findLookupLoads(database), findNextKeyEnd(database)]);
}

/** The first certificate of a chain is the client's. A malformed one is reported where it is used. */
function endOf(credential: string, pem: string | undefined): { credential: string; expiresAt: Date }[] {
  if (pem === undefined) return [];
  try {
    return [{ credential, expiresAt: new Date(new X509Certificate(pem).validTo) }];
  } catch {
    return [];
  }
}

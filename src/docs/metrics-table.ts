import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { Pool } from 'pg';
import { createRecorders } from '../platform/metrics/metrics.ts';
import { code, table } from './markdown.ts';

/**
 * Table of all metrics as Prometheus reads them: records each metric once with the service's code and parses the output.
 * @returns rows of name, kind and unit, labels, and meaning
 */
export async function metricsTable(): Promise<string> {
  const text = await recordedMetrics();
  const kinds = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [name!, kind!]));
  const units = new Map([...text.matchAll(/^# UNIT (\S+) (\S+)$/gm)].map(([, name, unit]) => [name!, unit!]));
  const rows = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)]
    .map(([, name, meaning]) => [
      code(name!),
      [kinds.get(name!), unitNames.get(units.get(name!) ?? '')].filter(Boolean).join(', '),
      labelsOf(text, name!),
      meaning!,
    ])
    .toSorted(([one], [other]) => one!.localeCompare(other!));
  return table(['metric', 'kind', 'labels', 'meaning'], rows);
}

/** Names of OpenTelemetry's units. */
const unitNames: ReadonlyMap<string, string> = new Map([
  ['s', 'seconds'],
  ['By', 'bytes'],
]);

function labelsOf(text: string, name: string): string {
  const labels = text.matchAll(new RegExp(`^${name}(?:_bucket)?\\{([^}]*)\\}`, 'gm')).flatMap(([, found]) =>
    found!
      .matchAll(/(\w+)="/g)
      .map(([, label]) => label!)
      .filter((label) => label !== 'le'),
  );
  return [...new Set(labels)].map(code).join(', ');
}

async function recordedMetrics(): Promise<string> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const meter = provider.getMeter('gangway');
  const pool = new Pool();
  const now = new Date();
  const metrics = createRecorders(meter, '0.1.0');
  metrics.requestAnswered({ method: 'GET', route: '/', status: 404, code: 'not_found', durationSeconds: 0 });
  metrics.accountImported('ACME', 'created', 0);
  metrics.batchStarted(1);
  metrics.linesDone('accounts', { succeeded: 1, failed: 1 });
  metrics.partnerCalled('STRIPE', 'ok');
  metrics.observe('queue', () => ({ waitingRequests: 0, openRuns: 0, slotsInUse: 0 }));
  metrics.observePool('http', pool);
  metrics.observe('largeBodies', () => ({ bytesInFlight: 0, waiting: 0, refused: 0 }));
  metrics.observe('connections', () => ({ open: 0, max: 0, refusedOverAll: 0, refusedOfAddress: 0, evicted: 0 }));
  metrics.observe('numbers', () => false);
  metrics.observeService('retention', async () => [{ class: 'audit', deleted: 1, completedAt: now }]);
  metrics.observeService('auditChain', async () => ({
    blocks: 1,
    unsealedSince: now,
    verification: { findings: 0, startedAt: now },
  }));
  metrics.observeService('storedJobs', async () => [{ organisation: 'Acme', bytes: 1 }]);
  metrics.observeService('waves', async () => [{ status: 'CREATING', waves: 1, pastPlan: 0 }]);
  metrics.observeService('stuck', async () => [
    { cause: 'vendor_unavailable', party: 'STRIPE', count: 1, oldest: now },
  ]);
  metrics.observeService('backlog', async () => ({
    kinds: [{ kind: 'switch-supplier', due: 1, oldestDueAt: now }],
    dispatcher: { holder: 'host/1', heldSince: now, isOverdue: false, lastSweptAt: now },
    slots: { held: 1, oldestAcquiredAt: now },
  }));
  metrics.observeService('state', async () => ({
    isDatabaseReady: true,
    isTemporalReady: true,
    parties: [{ party: 'STRIPE', answeredAt: now, pausedUntil: null }],
    lookups: [{ networkOperator: 'enedis', pending: 0, perSecond: 0, usedPerSecond: 0 }],
    credentials: [{ credential: 'API key', expiresAt: now }],
  }));
  const { resourceMetrics } = await exporter.collect();
  metrics.stop();
  await pool.end();
  await provider.shutdown();
  return new PrometheusSerializer('', false, undefined, true, true).serialize(resourceMetrics);
}

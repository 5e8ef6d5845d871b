import { systemClock, type Clock } from '../platform/clock.ts';
import { openDatabase, type Database } from '../platform/database/database.ts';
import type { TimeLimits } from '../platform/database/session-settings.ts';
import type { Log } from '../platform/log.ts';
import { noMetrics, type Metrics } from '../platform/metrics/metrics.ts';
import { fixedSecrets, type Secrets } from '../platform/secrets/secrets.ts';
import type { Settings } from '../platform/settings.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { entities } from './entities.ts';

/** What a process is started with. */
export interface ProcessOptions {
  settings: Settings & { DATABASE_URL: string };
  /** Default: fixed values from the settings. */
  secrets?: Secrets;
  gateway: TemporalGateway;
  log: Log;
  clock?: Clock;
  metrics?: Metrics;
}

/** The same with all defaults. */
export type OpenOptions = Required<ProcessOptions>;

/** Fills in the defaults of members that are missing or undefined. */
export function withDefaults(options: ProcessOptions): OpenOptions {
  const { settings, secrets = fixedSecrets(settings), clock = systemClock, metrics = noMetrics } = options;
  return { ...options, secrets, clock, metrics };
}

export interface RunningServer {
  url: string;
  /** Drains, then closes all connections. */
  stop(): Promise<void>;
}

/** Opens a pool of the database and measures it. */
export async function openMeasuredDatabase(
  { settings, secrets, log, metrics }: OpenOptions,
  { name, poolSize, limits }: { name: string; poolSize: number; limits: TimeLimits },
): Promise<Database> {
  const database = await openDatabase({
    url: settings.DATABASE_URL,
    secret: secrets.of('DATABASE_URL'),
    entities,
    poolSize,
    log,
    applicationName: `gangway-${name}`,
    limits,
  });
  metrics.observePool(name, database.pool);
  return database;
}

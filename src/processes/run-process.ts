import { relative } from 'node:path';
import { UnfitSessions } from '../platform/database/session-settings.ts';
import { createLog, loggedFault } from '../platform/log.ts';
import { openMetrics } from '../platform/metrics/metrics.ts';
import { followSecrets } from '../platform/follow-secrets.ts';
import { readSettings, secretFiles, SettingsError, type Settings } from '../platform/settings.ts';
import { installTemporalRuntime } from '../platform/temporal/temporal-runtime.ts';
import { openTemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { temporalSecurity } from '../platform/temporal/temporal-security.ts';
import { openTraces } from '../platform/open-traces.ts';
import { traceOfLine } from '../platform/traces/traces.ts';
import { readArguments } from '../platform/read-arguments.ts';
import type { OpenOptions } from './server-process.ts';
import { settingsHelp } from './settings-help.ts';
import { buildIdOf } from './version.ts';
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export type ProcessContext = Omit<OpenOptions, 'clock'>;

/** A part of a process. Parts are stopped in the order in which they are listed. */
export interface Part {
  stop(): Promise<void>;
}

/** Argument that `up` passes to its children, so that the next `up` finds children that a killed one left running. */
export const DATA_FOLDER = '--data-folder=';
/** Additional time after which a stop is forced, in case something hangs. */
const FORCED_STOP_AFTER_GRACE_MS = 10_000;

/**
 * Runs a process of the service: reads the settings and starts its parts. SIGTERM, SIGINT or the end of the parent stops them in order
 * (API, worker, connection to Temporal, database).
 * @param does purpose of the process, for `--help`
 */
export async function runProcess(
  { name, does }: { name: string; does: string },
  start: (context: ProcessContext) => Promise<Part[]>,
): Promise<void> {
  readProcessArguments(does);
  const settings = settingsOrExit('DATABASE_URL', 'TEMPORAL_ADDRESS');
  const log = createLog({
    level: settings.LOG_LEVEL,
    process: name,
    ...(settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? {} : { ofEachLine: traceOfLine }),
  });
  const traces = await openTraces(settings, log, { process: name, version: buildIdOf(settings) });
  installTemporalRuntime(log, settings);
  const gateway = openTemporalGateway({
    address: settings.TEMPORAL_ADDRESS,
    namespace: settings.TEMPORAL_NAMESPACE,
    log,
    security: temporalSecurity(settings),
  });
  const secrets = followSecrets({ settings, files: secretFiles(), log });
  secrets.onChange(() => gateway.useApiKey(secrets.of('TEMPORAL_API_KEY').value()));
  const metrics = await openMetrics(settings, log, buildIdOf(settings));
  const parts = await start({ settings, secrets, log, gateway, metrics }).catch((error: unknown) => {
    if (!(error instanceof UnfitSessions)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  tuneEngine();
  stopOnSignal({ log, settings }, async () => {
    for (const part of parts) {
      await part
        .stop()
        .catch((error: Error) => log.error({ fault: loggedFault(error) }, 'a part did not stop cleanly'));
    }
    secrets.close();
    await gateway
      .close()
      .catch((error: Error) => log.error({ fault: error.name }, 'the connection to Temporal did not close cleanly'));
    await metrics.stop().catch(() => {});
    await traces.stop();
  });
}

/** Stops this process in order after a signal or an unhandled error. */
function stopOnSignal(
  { log, settings }: Pick<ProcessContext, 'log' | 'settings'>,
  stopParts: () => Promise<void>,
): void {
  let isStopping = false;
  const stop = (reason: string, exitCode = 0) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => {
      log.error('the stop took too long and is forced');
      process.exit(1);
    }, settings.SHUTDOWN_GRACE_MS + FORCED_STOP_AFTER_GRACE_MS).unref();
    void stopParts().then(() => {
      log.info('stopped');
      process.exit(exitCode);
    });
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  // Children of `up` must not outlive it.
  process.on('disconnect', () => stop('parent ended'));
  process.on('unhandledRejection', (error) => {
    log.error({ fault: loggedFault(error) }, 'unhandled rejection');
  });
  // The state is unknown after this error, so the process ends; requests in progress may complete.
  process.on('uncaughtException', (error) => {
    log.error({ fault: loggedFault(error) }, 'unhandled error: the process stops and must be restarted');
    if (isStopping) process.exit(1);
    stop('uncaught exception', 1);
  });
}

/** Accepts the arguments that `up` passes to its children and rejects others. `--help` describes the process and its settings. */
export function readProcessArguments(does: string): void {
  readArguments({
    usage: `node ${relative(process.cwd(), process.argv[1] ?? '')}`,
    help: () => `${does} ${settingsHelp()}`,
    options: [DATA_FOLDER],
  });
}

/**
 * Reads the settings of a process. If one is invalid or missing, prints a message and exits.
 * @param needed settings that this process requires
 */
export function settingsOrExit<Needed extends 'DATABASE_URL' | 'TEMPORAL_ADDRESS'>(
  ...needed: Needed[]
): Settings & Record<Needed, string> {
  try {
    const settings = readSettings();
    const missing = needed.filter((name) => !settings[name]);
    if (missing.length > 0) {
      throw new SettingsError(
        `Missing: ${missing.join(' and ')}. Set ${missing.length > 1 ? 'them' : 'it'}, or run \`npm start\`, which brings Postgres and Temporal along.`,
      );
    }
    return settings as Settings & Record<Needed, string>;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** V8 flags of every process of the service. V8 ignores unknown flags with a message. */
export const engineFlags = {
  /**
   * Growth of the heap, in percent of its live size, before a full collection. By default V8 waits for up to four times the live size, and
   * the memory of an attack was kept while other callers sent requests (docs/decisions/0033-attack-tests-with-a-bystander.md).
   */
  'heap-growing-percent': 75,
  /**
   * The young generation starts at 1 MB, and V8 doubles it while objects survive. Under load all requests in progress survive; with this
   * factor the first step leads to 16 MB (docs/decisions/0068-full-speed-after-a-start.md).
   */
  'semi-space-growth-factor': 16,
  /**
   * Calls of a function before V8 optimizes it, scaled by its length. With the default of 3,000 full speed took 11,500 requests, with this
   * value 2,000 (docs/decisions/0068-full-speed-after-a-start.md).
   */
  'invocation-count-for-turbofan': 500,
};

/** Sets the flags after startup, because code compiled under other flags is not reused from the compile cache. */
function tuneEngine(): void {
  // No effect unless NODE_COMPILE_CACHE is set. Called now, because a killed process would not store its cache.
  flushCompileCache();
  for (const [name, value] of Object.entries(engineFlags)) setFlagsFromString(`--${name}=${value}`);
  collectGarbage();
}

/**
 * Collects the garbage of the startup. Otherwise V8 does so after thousands of requests, and until then dead objects keep new ones alive:
 * three times as much of each request is copied into the old generation (docs/decisions/0068-full-speed-after-a-start.md).
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}

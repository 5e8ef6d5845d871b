import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, Runtime, type RuntimeOptions } from '@temporalio/worker';
import { loggedFault, type Log } from '../log.ts';

/** Warning of the SDK for each queue of activities only. */
const ACTIVITIES_ONLY = 'No workflows registered, not polling for workflow tasks';

/** Installs the runtime for this process; undefined until `installTemporalRuntime` is called. */
let install: (() => void) | undefined;

/**
 * Installs the SDK's runtime for the process: it logs to our log and leaves signals to the process, which closes its connections in order.
 * @param metricsAt address of the SDK's own metrics, which cannot share our port
 */
export function installTemporalRuntime(
  log: Log,
  metricsAt: { METRICS_HOST: string; TEMPORAL_METRICS_PORT?: number } = { METRICS_HOST: '' },
): void {
  install = () => installOnce(log, metricsAt);
  keepTemporalRuntime();
}

/**
 * Installs the runtime again if it is gone. The SDK shuts it down with the last connection and worker, also when the first connection
 * fails, and would then use a default one, which bypasses our log, reveals workflow ids, has no metrics and handles signals.
 */
export function keepTemporalRuntime(): void {
  try {
    install?.();
  } catch (error) {
    // It is still installed.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

function installOnce(log: Log, metricsAt: { METRICS_HOST: string; TEMPORAL_METRICS_PORT?: number }): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (message === ACTIVITIES_ONLY) return;
    const { sdkComponent, workflowId, runId, activityType, attempt, error } = (meta ?? {}) as Record<string, unknown>;
    // A workflow id contains an account number, which must not be logged; the run id finds the run in the web UI.
    const workflow = typeof workflowId === 'string' ? workflowId.split('/')[0] : undefined;
    log[level === 'ERROR' ? 'error' : 'warn'](
      { sdkComponent, workflow, runId, activityType, attempt, fault: (error as Error | undefined)?.name },
      message,
    );
  });
  const logging = { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } as const;
  const installWith = (telemetryOptions: RuntimeOptions['telemetryOptions']) =>
    Runtime.install({ logger, shutdownSignals: [], telemetryOptions });
  const { METRICS_HOST: host, TEMPORAL_METRICS_PORT: port } = metricsAt;
  if (port === undefined) return void installWith({ logging });
  try {
    const bindAddress = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    installWith({ logging, metrics: { prometheus: { bindAddress, unitSuffix: true, useSecondsForDurations: true } } });
  } catch (error) {
    if (error instanceof IllegalStateError) throw error;
    log.error({ port, fault: loggedFault(error) }, 'the port of the SDK metrics cannot be opened; they are disabled');
    installWith({ logging });
  }
}

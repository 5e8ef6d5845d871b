import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, Runtime, type RuntimeOptions } from '@temporalio/worker';
import { loggedFault, type Log } from '../log.ts';

/** The SDK warns of this at each queue that has activities only, as four of our queues have. */
const ACTIVITIES_ONLY = 'No workflows registered, not polling for workflow tasks';

/** Sets up the runtime as this process wants it; undefined in a process that has not said. */
let install: (() => void) | undefined;

/**
 * Sets up the SDK's runtime for the process: its log lines go to our log, and signals are left to the process, which
 * closes its connections in order.
 * @param metricsAt where the SDK's own metrics are read (they come from its core and cannot share our port)
 */
export function installTemporalRuntime(
  log: Log,
  metricsAt: { METRICS_HOST: string; TEMPORAL_METRICS_PORT?: number } = { METRICS_HOST: '' },
): void {
  install = () => installOnce(log, metricsAt);
  keepTemporalRuntime();
}

/**
 * Sets the runtime up again if it is gone. The SDK ends it with the last connection and worker, also when the first connection fails,
 * and would then continue with a default one, which bypasses our log (including workflow ids), has no metrics, and handles signals.
 */
export function keepTemporalRuntime(): void {
  try {
    install?.();
  } catch (error) {
    // It is still there.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

function installOnce(log: Log, metricsAt: { METRICS_HOST: string; TEMPORAL_METRICS_PORT?: number }): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (message === ACTIVITIES_ONLY) return;
    const { sdkComponent, workflowId, runId, activityType, attempt, error } = (meta ?? {}) as Record<string, unknown>;
    // An id names the account that it is about, which has no place in a log; the run's own id finds it in the web UI.
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
    log.error({ port, fault: loggedFault(error) }, "the port of the SDK's metrics cannot be opened; they are off");
    installWith({ logging });
  }
}

import type { ConnectionLimits } from './connection-limit.ts';
import type { Settings } from '../settings.ts';

/** Used if the limit of open files is unknown; the limit of old systems. */
const UNKNOWN_OPEN_FILES = 1_024;
/** File descriptors reserved for the database, Temporal, vendors, files and the log. */
const KEPT_FREE = 256;
/** An address may use at most one fourth of all connections. */
const ADDRESS_PART = 4;

/**
 * Returns the number of connections that the API accepts. Never more than the limit of open files allows, because a process without
 * descriptors cannot reach its database, and some libraries abort it. Behind proxies there is no limit per address, because all connections
 * come from the proxies.
 * @param openFiles the limit of the process
 */
export function connectionAllowance(
  settings: Pick<Settings, 'HTTP_CONNECTIONS_MAX' | 'HTTP_PROXIES'>,
  openFiles = openFilesLimit(),
): ConnectionLimits {
  const fits = Math.max(1, openFiles - Math.min(KEPT_FREE, Math.ceil(openFiles / 2)));
  const max = Math.min(settings.HTTP_CONNECTIONS_MAX, fits);
  return { max, perAddressMax: settings.HTTP_PROXIES > 0 ? undefined : Math.max(1, Math.floor(max / ADDRESS_PART)) };
}

let knownOpenFiles: number | undefined;

/** The soft limit of open files. Node raises it to the hard limit at startup; it does not change afterward. */
function openFilesLimit(): number {
  return (knownOpenFiles ??= readOpenFilesLimit());
}

function readOpenFilesLimit(): number {
  // Missing in the types. Without it the report would resolve host names.
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  report.excludeNetwork = excludeNetwork;
  const soft = userLimits?.open_files?.soft;
  if (soft === 'unlimited') return Number.MAX_SAFE_INTEGER;
  return typeof soft === 'number' ? soft : UNKNOWN_OPEN_FILES;
}

import type { ConnectionLimits } from './connection-limit.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';

/** More connections bring no benefit: each costs memory, and requests wait for the database pools. */
const MAX = 5_000;
/** Used if the limit of open files is unknown; the limit of old systems. */
const UNKNOWN_OPEN_FILES = 1_024;
/** File descriptors reserved for the database, Temporal, vendors, files and the log. */
const KEPT_FREE = 256;
/** An address may use at most one fourth of all connections. */
const ADDRESS_PART = 4;

/**
 * Returns the number of connections that the API accepts: the setting, or by default as many as the limit of open files allows. Never more
 * than that, because a process without descriptors cannot reach its database, and some libraries abort it.
 * @param openFiles the limit of the process
 */
export function connectionAllowance(
  settings: Pick<Settings, 'HTTP_CONNECTIONS_MAX' | 'HTTP_CONNECTIONS_PER_ADDRESS_MAX' | 'HTTP_PROXIES'>,
  log: Log,
  openFiles = openFilesLimit(),
): ConnectionLimits {
  const fits = Math.max(1, openFiles - Math.min(KEPT_FREE, Math.ceil(openFiles / 2)));
  const wanted = settings.HTTP_CONNECTIONS_MAX ?? Math.min(MAX, fits);
  if (wanted > fits) {
    log.warn(
      { HTTP_CONNECTIONS_MAX: wanted, taken: fits, openFiles },
      'HTTP_CONNECTIONS_MAX is more than the limit of open files allows; less are taken. Raise the limit (ulimit -n, LimitNOFILE)',
    );
  }
  const max = Math.min(wanted, fits);
  return { max, perAddressMax: perAddress(settings, max) };
}

/** Behind proxies all connections come from the proxies, so by default there is no limit per address. */
function perAddress(
  {
    HTTP_CONNECTIONS_PER_ADDRESS_MAX: wanted,
    HTTP_PROXIES: proxies,
  }: Pick<Settings, 'HTTP_CONNECTIONS_PER_ADDRESS_MAX' | 'HTTP_PROXIES'>,
  max: number,
): number | undefined {
  if (wanted !== undefined) return wanted === 0 ? undefined : wanted;
  return proxies > 0 ? undefined : Math.max(1, Math.floor(max / ADDRESS_PART));
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

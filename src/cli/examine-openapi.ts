import { exchange, readBody } from '../../clients/typescript/src/exchange.ts';
import type { Finding } from './examine-network.ts';
import { programVersion } from './program-version.ts';

/** The version of the API that this command line speaks: `info.version` of the OpenAPI document. */
const API_VERSION = '1';
/** A larger difference makes commands renew tokens too late. */
const SKEW_MAX_SECONDS = 30;
const NAMED_MAX = 3;

interface Document {
  info?: { title?: string; version?: string };
  paths?: Record<string, object>;
}

/**
 * Checks that gangway answers, that both clocks agree, and that the service has the operations of the commands.
 * @param operations method and path of each, with `<name>` for parameters
 */
export async function examineService(url: string, operations: readonly string[]): Promise<Finding[]> {
  const startedAt = Date.now();
  try {
    const response = await exchange({ url }, { path: '/openapi.json', retryMs: 0 });
    // Halfway between request and response.
    const now = (startedAt + Date.now()) / 2;
    const document = ((await readBody({ url }, response)) ?? {}) as Document;
    if (document.info?.title !== 'gangway') {
      return [
        {
          check: 'service',
          state: 'failed',
          detail: `${url} does not respond like gangway (status ${response.status}).`,
          remedy: 'Check address and port; a proxy may have responded.',
        },
      ];
    }
    const service: Finding = { check: 'service', state: 'ok', detail: 'gangway responds', remedy: null };
    return [service, clockFinding(response.headers.get('date'), now), versionFinding(document, operations)];
  } catch (error) {
    const remedy = 'Check address, port, firewall, and that the service is running.';
    return [{ check: 'service', state: 'failed', detail: (error as Error).message, remedy }];
  }
}

function clockFinding(date: string | null, now: number): Finding {
  const seconds = Math.round((now - Date.parse(date ?? '')) / 1_000);
  if (Number.isNaN(seconds)) {
    return {
      check: 'clock',
      state: 'warning',
      detail: 'The response has no date, so the clocks were not compared.',
      remedy: null,
    };
  }
  const detail = `This clock differs by ${Math.abs(seconds)} s from that of the service.`;
  if (Math.abs(seconds) <= SKEW_MAX_SECONDS) return { check: 'clock', state: 'ok', detail, remedy: null };
  return { check: 'clock', state: 'failed', detail, remedy: 'Synchronize the clock of this machine (NTP).' };
}

function versionFinding({ info, paths = {} }: Document, operations: readonly string[]): Finding {
  const own = `command line ${programVersion()}`;
  if (info?.version !== API_VERSION) {
    return {
      check: 'version',
      state: 'failed',
      detail: `The service has version ${info?.version} of the API, ${own} uses version ${API_VERSION}.`,
      remedy: 'Install the command line of the release of the service.',
    };
  }
  const known = new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '<>')}`),
    ),
  );
  const missing = [...new Set(operations)].filter((one) => !known.has(one.replace(/<\w+>/g, '<>')));
  if (missing.length === 0) {
    return { check: 'version', state: 'ok', detail: `version ${API_VERSION} of the API, ${own}`, remedy: null };
  }
  return {
    check: 'version',
    state: 'warning',
    detail: `The service lacks ${missing.length} operations of ${own}: ${missing.slice(0, NAMED_MAX).join(', ')}.`,
    remedy:
      'The service has an older release: the commands that need them fail. Install the command line of its release.',
  };
}

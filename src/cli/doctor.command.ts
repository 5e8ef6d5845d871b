import { Option, type Command } from 'commander';
import { commandOf, commandsBelow, outputsOf, type JsonOption } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { AccessOptions, Connection, Surroundings } from './connection.ts';
import { examineName, examineTls, type Finding } from './examine-network.ts';
import { printAnswer, printLine } from './output.ts';
import { exchange, readBody } from '../../clients/typescript/src/exchange.ts';
import { programVersion } from './program-version.ts';

type DoctorOptions = AccessOptions & JsonOption & { supplier?: string };

const DAY_MS = 86_400_000;
/** As the alert GangwayCredentialEnds. */
const KEY_ENDS_SOON_DAYS = 14;

const reportSchema = {
  type: 'object',
  required: ['url', 'is_well', 'findings'],
  properties: {
    url: { type: ['string', 'null'] },
    is_well: { type: 'boolean' },
    findings: {
      type: 'array',
      items: {
        type: 'object',
        required: ['check', 'state', 'detail', 'remedy'],
        properties: {
          check: { type: 'string', enum: ['address', 'dns', 'tls', 'service', 'clock', 'version', 'key'] },
          state: { type: 'string', enum: ['ok', 'warning', 'failed'] },
          detail: { type: 'string' },
          remedy: { type: ['string', 'null'] },
        },
      },
    },
  },
};

/** `doctor`: checks everything that commands need, from the address to the key. @param program its commands are compared with the service */
export function doctorCommand(surroundings: Surroundings, program: Command): Command {
  return commandOf(surroundings, {
    usage: 'doctor',
    description: 'Check address, DNS, TLS, service, clock, version and API key, with a remedy for each fault.',
    note: 'Exit status: 0 all is well or only warnings, 1 a check failed, 3 the service is unreachable.',
    examples: ['doctor', 'doctor --json'],
    moreOptions: [new Option('--supplier <code>', 'also check that the key is for this import supplier')],
    json: 'print the findings as one JSON line',
    prints: { schema: reportSchema },
    act: async (options: DoctorOptions, connect) => {
      const { url, findings } = await examine(surroundings, program, options, connect);
      const failed = findings.filter(({ state }) => state === 'failed');
      printAnswer({ url, is_well: failed.length === 0, findings }, options.json, () => findings.forEach(show));
      if (failed.length === 0) return;
      process.exitCode = failed.some(({ check }) => check === 'service')
        ? exitStatuses.unreachable
        : exitStatuses.failed;
    },
  });
}

function show({ check, state, detail, remedy }: Finding): void {
  printLine(`${state.padEnd(8)} ${check.padEnd(8)} ${detail}`);
  if (remedy !== null) printLine(`${' '.repeat(18)}${remedy}`);
}

async function examine(
  surroundings: Surroundings,
  program: Command,
  options: DoctorOptions,
  connect: () => Promise<Connection>,
): Promise<{ url: string | null; findings: Finding[] }> {
  let url: string;
  try {
    url = surroundings.findAddress(options);
  } catch (error) {
    return { url: null, findings: [failure('address', error)] };
  }
  const findings: Finding[] = [{ check: 'address', state: 'ok', detail: url, remedy: null }];
  findings.push(await examineName(url), await examineTls(url));
  const operations = commandsBelow(program).flatMap(([, command]) =>
    outputsOf(command).flatMap((output) => ('operation' in output ? [output.operation] : [])),
  );
  const ofService = await examineService(url, operations);
  findings.push(...ofService);
  const isReachable = ofService.every(({ check, state }) => check !== 'service' || state === 'ok');
  if (isReachable) findings.push(await examineKey(connect, options.supplier));
  return { url, findings };
}

async function examineKey(connect: () => Promise<Connection>, supplier: string | undefined): Promise<Finding> {
  try {
    const connection = await connect();
    const { role = 'unknown', organisation = 'unknown' } = connection.key;
    const key = `role ${role}, organization ${organisation}`;
    return connection.isOperator ? await operatorKey(connection, key) : await supplierKey(connection, key, supplier);
  } catch (error) {
    return failure('key', error);
  }
}

async function supplierKey(connection: Connection, key: string, supplier: string | undefined): Promise<Finding> {
  await connection.send('GET', '/v1/data-import/import-jobs/?limit=1');
  if (supplier === undefined) return { check: 'key', state: 'ok', detail: key, remedy: null };
  const fault = await supplierFault(connection, supplier);
  if (fault === undefined) {
    return { check: 'key', state: 'ok', detail: `${key}, import supplier ${supplier}`, remedy: null };
  }
  const remedy = `Use a key for ${supplier}, or ask the operators whether it is registered.`;
  return { check: 'key', state: 'failed', detail: `${key}; ${fault}`, remedy };
}

/** An account that only names its import supplier is rejected in any case, for this member only if the key is not for the supplier. */
async function supplierFault(connection: Connection, supplier: string): Promise<string | undefined> {
  const account = { import_supplier: supplier };
  const error = await connection
    .send('POST', '/v1/data-import/validate-account/', account)
    .catch((one: unknown) => one);
  if (!(error instanceof CommandError)) return undefined;
  const lines = error.message.split('\n').map((line) => line.trim());
  return lines.find((line) => line.startsWith('import_supplier:'));
}

interface ListedKey {
  id: string;
  scope: string;
  expires_at: string | null;
}

/** Keys with a restricted scope may not list keys, which says enough. */
async function operatorKey(connection: Connection, key: string): Promise<Finding> {
  const keys = await connection.send<ListedKey[]>('GET', 'api-keys/').catch(() => undefined);
  const own = keys?.find(({ id }) => id === connection.key.id);
  if (keys === undefined) {
    return { check: 'key', state: 'ok', detail: `${key}, with a restricted scope`, remedy: null };
  }
  const scope = own === undefined ? '' : `, scope ${own.scope}`;
  const end = own?.expires_at ?? null;
  const detail = `${key}${scope}${end === null ? '' : `, expires ${end}`}`;
  const endsSoon = end !== null && Date.parse(end) - Date.now() < KEY_ENDS_SOON_DAYS * DAY_MS;
  if (!endsSoon) return { check: 'key', state: 'ok', detail, remedy: null };
  return { check: 'key', state: 'warning', detail, remedy: 'Create another key before this one expires: key create.' };
}

/** The message of an error names the remedy, too. */
function failure(check: Finding['check'], error: unknown): Finding {
  return { check, state: 'failed', detail: error instanceof Error ? error.message : String(error), remedy: null };
}

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
async function examineService(url: string, operations: readonly string[]): Promise<Finding[]> {
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

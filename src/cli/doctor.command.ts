import { Option, type Command } from 'commander';
import { commandOf, commandsBelow, outputsOf, type JsonOption } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { AccessOptions, Connection, Surroundings } from './connection.ts';
import { examineName, examineTls, type Finding } from './examine-network.ts';
import { examineService } from './examine-openapi.ts';
import { printAnswer, printLine } from './output.ts';

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

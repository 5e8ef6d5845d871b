import { Option, type Command } from 'commander';
import { readSettings } from '../platform/settings.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { assertSafeForKey, checkedUrl, findKey, FROM_STANDARD_INPUT, INSECURE, NO_KEY } from './api-key-input.ts';
import { commandOf, type JsonOption } from './command.ts';
import type { AccessOptions } from './connection.ts';
import { endSession, operatorSurroundings, sessionOfKey } from './operator-session.ts';
import { printJson, printLine } from './output.ts';
import {
  deleteSession,
  findLocalService,
  readSession,
  sessionFile,
  writeSession,
  type LocalService,
} from './session.ts';

type LoginOptions = AccessOptions & JsonOption;

/** A login is the alternative to a profile. */
const WITHOUT_PROFILE = { ...operatorSurroundings, options: [] };

/** `login`: exchanges an API key for a session that later commands use; the key itself is not stored. */
export const loginCommand = (): Command =>
  commandOf(WITHOUT_PROFILE, {
    usage: 'login',
    description:
      'Log in to a service, which later commands then use. Without options: the running `npm start` with its operator key.',
    examples: [
      'login',
      'login --url https://gangway.example',
      'login --url https://gangway.example --key-file operator-key',
    ],
    options: [
      new Option('--url <address>', 'address of the service').argParser(checkedUrl),
      new Option(
        '--key-file <path>',
        `file with the API key; "${FROM_STANDARD_INPUT}" is standard input. Without it: GANGWAY_API_KEY, standard input, or a prompt`,
      ),
      INSECURE,
      NO_KEY,
    ],
    json: 'print one JSON line {"url", "role", "session_file"}',
    prints: {
      schema: {
        type: 'object',
        required: ['url', 'role', 'session_file'],
        properties: { url: { type: 'string' }, role: { type: 'string' }, session_file: { type: 'string' } },
      },
    },
    act: login,
  });

/** `logout`: ends the session at the service and deletes it here. */
export const logoutCommand = (): Command =>
  commandOf(WITHOUT_PROFILE, {
    usage: 'logout',
    description: 'Log out: invalidate the tokens of the last login.',
    examples: ['logout'],
    json: 'print one JSON line {"url"}',
    prints: { schema: { type: 'object', required: ['url'], properties: { url: { type: ['string', 'null'] } } } },
    act: logout,
  });

async function login(options: LoginOptions): Promise<void> {
  const { url, key } = await findCredentials(options, findLocalService());
  const session = await sessionOfKey(url, key);
  writeSession(session);
  if (options.json) return printJson({ url: session.url, role: session.role, session_file: sessionFile() });
  printLine(`Logged in to ${session.url} with the role ${session.role}. The session is in ${sessionFile()}.`);
}

/** Reads the key from the option, the environment, the running service for its own address, standard input, or a prompt. */
async function findCredentials(
  options: LoginOptions,
  local: LocalService | undefined,
): Promise<{ url: string; key: string }> {
  const url = options.url ?? local?.url;
  if (url === undefined) {
    throw new CommandError(
      'No service is running here. Log in with `login --url <address>`, or start one with `npm start` (DATA_DIR names its folder).',
      exitStatuses.usage,
    );
  }
  assertSafeForKey(url, options.insecure);
  const key = await findKey(
    options.keyFile,
    readSettings().GANGWAY_API_KEY ?? (url === local?.url ? local.operatorKey : undefined),
    true,
    'Name a file that contains it (npm run cli -- login --url <address> --key-file <path>), or set GANGWAY_API_KEY.',
  );
  return { url, key };
}

async function logout({ json }: JsonOption): Promise<void> {
  const session = readSession();
  if (session !== undefined) {
    // Deleted first, so that the user is logged out here even if the service is unreachable.
    deleteSession();
    await endSession(session);
  }
  if (json) printJson({ url: session?.url ?? null });
  else printLine(session === undefined ? 'You are not logged in.' : `Logged out of ${session.url}.`);
}

import { fstatSync, readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { Listr } from 'listr2';
import { readSettings } from '../platform/settings.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { obtainSession } from './interface-client.ts';
import { withExamples } from './operator-command.ts';
import { printJson } from './output.ts';
import { findLocalService, sessionFile, writeSession, type LocalService, type Session } from './session.ts';

interface LoginOptions {
  url?: string;
  key?: string;
  json?: true;
}

interface Steps {
  url: string;
  key: string;
  session: Session & { role: string };
}

const STANDARD_INPUT = 0;
const FROM_STANDARD_INPUT = '-';

/** `login`: exchanges an API key for a session that later commands use; the key itself is not kept (design 5). */
export function loginCommand(): Command {
  const command = new Command('login')
    .description('Log in to a service; later commands go there. Without options: the running `npm start` with its operator key.')
    .option('--url <address>', 'address of the service', checkedUrl)
    .option('--key <key>', `API key; better in GANGWAY_API_KEY or, with "${FROM_STANDARD_INPUT}", on standard input, where other users cannot see it`)
    .option('--json', 'print one JSON line {"url", "role", "session_file"}')
    .action(login);
  return withExamples(command, ['login', 'login --url https://gangway.example < operator-key', 'login --url https://gangway.example --key -']);
}

async function login(options: LoginOptions): Promise<void> {
  const steps = new Listr<Steps, 'simple' | 'silent', 'simple' | 'silent'>([
    { title: 'Find the service and the key', task: (found) => { Object.assign(found, findCredentials(options, findLocalService())); } },
    { title: 'Obtain a token', task: async (found) => { found.session = await obtainSession(found.url, { APIKey: found.key }); } },
    { title: `Store the session in ${sessionFile()}`, task: ({ session: { role: _role, ...session } }) => { writeSession(session); } },
  ], { renderer: options.json ? 'silent' : 'simple', fallbackRenderer: options.json ? 'silent' : 'simple' });
  const { session } = await steps.run();
  if (options.json) printJson({ url: session.url, role: session.role, session_file: sessionFile() });
  else process.stdout.write(`Logged in to ${session.url} with the role ${session.role}.\n`);
}

/** The key comes from the option, the environment, the running service when it is the one meant, or standard input. */
function findCredentials(options: LoginOptions, local: LocalService | undefined): { url: string; key: string } {
  const url = options.url ?? local?.url;
  if (url === undefined) {
    throw new CommandError('No service runs here. Name one with `login --url <address>`, or start it with `npm start` (DATA_DIR names its folder).', exitStatuses.usage);
  }
  const given = options.key === FROM_STANDARD_INPUT ? keyOnStandardInput() : (options.key ?? readSettings().GANGWAY_API_KEY);
  const key = given ?? (url === local?.url ? local.operatorKey : keyOnStandardInput());
  if (key === undefined) {
    throw new CommandError('No API key was given. Put it into GANGWAY_API_KEY, or on standard input: npm run cli -- login --url <address> < key-file', exitStatuses.usage);
  }
  return { url, key };
}

/** What is piped in; a terminal is not waited for. */
function keyOnStandardInput(): string | undefined {
  const input = fstatSync(STANDARD_INPUT);
  if (!input.isFile() && !input.isFIFO() && !input.isSocket()) return undefined;
  return readFileSync(STANDARD_INPUT, 'utf8').trim() || undefined;
}

function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) throw new InvalidArgumentError('An address such as https://gangway.example is expected.');
  return url.origin;
}

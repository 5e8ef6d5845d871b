import { Command } from 'commander';
import { readSettings } from '../platform/settings.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { obtainSession } from './api-client.ts';
import {
  assertSafeForKey,
  checkedUrl,
  FROM_STANDARD_INPUT,
  keyByPrompt,
  keyInFile,
  keyOnStandardInput,
  noKeyOption,
} from './api-key-input.ts';
import { withExamples } from './operator-command.ts';
import { printJson, printLine } from './output.ts';
import { findLocalService, sessionFile, writeSession, type LocalService } from './session.ts';

interface LoginOptions {
  url?: string;
  keyFile?: string;
  insecure?: true;
  json?: true;
}

/** `login`: exchanges an API key for a session that later commands use; the key itself is not stored. */
export function loginCommand(): Command {
  const command = new Command('login')
    .description(
      'Log in to a service, which later commands then use. Without options: the running `npm start` with its operator key.',
    )
    .option('--url <address>', 'address of the service', checkedUrl)
    .option(
      '--key-file <path>',
      `file with the API key; "${FROM_STANDARD_INPUT}" is standard input. Without it: GANGWAY_API_KEY, standard input, or a prompt`,
    )
    .option('--insecure', 'allow http:// to another machine, which sends the key unencrypted')
    .addOption(noKeyOption())
    .option('--json', 'print one JSON line {"url", "role", "session_file"}')
    .action(login);
  return withExamples(command, [
    'login',
    'login --url https://gangway.example',
    'login --url https://gangway.example --key-file operator-key',
  ]);
}

async function login(options: LoginOptions): Promise<void> {
  const { url, key } = await findCredentials(options, findLocalService());
  const session = await obtainSession(url, { APIKey: key });
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
  const given = options.keyFile === undefined ? readSettings().GANGWAY_API_KEY : keyInFile(options.keyFile);
  const key = given ?? (url === local?.url ? local.operatorKey : (keyOnStandardInput() ?? (await keyByPrompt())));
  if (key === undefined) {
    throw new CommandError(
      'No API key was given. Name a file that contains it (npm run cli -- login --url <address> --key-file <path>), or set GANGWAY_API_KEY.',
      exitStatuses.usage,
    );
  }
  return { url, key };
}

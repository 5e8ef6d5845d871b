import { Command, Option } from 'commander';
import { addCompletion } from './completion.command.ts';
import { doctorCommand } from './doctor.command.ts';
import { helpCommand } from './help.command.ts';
import { importCommand } from './import.command.ts';
import { jobsCommand } from './jobs.command.ts';
import { manifestCommand } from './manifest.command.ts';
import { migrateCommand } from './migrate.command.ts';
import { profileCommand } from './profile.command.ts';
import { programVersion } from './program-version.ts';
import { reconcileCommand } from './reconcile.command.ts';
import { verifyCertificateCommand } from './verify-certificate.command.ts';
import { wavesCommand } from './waves.command.ts';
import { assertSafeForKey, checkedUrl, findKey, INSECURE, NO_KEY } from './api-key-input.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { AccessOptions, Surroundings } from './connection.ts';
import type { Advice } from './http-advice.ts';
import { connectWithKey } from './key-access.ts';
import { findProfile, keyOfProfile, PROFILE } from './profiles.ts';

const ABOUT = `
Set GANGWAY_URL to the address of the service and GANGWAY_API_KEY, or GANGWAY_API_KEY_FILE, to your key, or use profiles (help profiles); without a key the command asks for the key on a terminal.
Exit status: 0 done, 1 refused or failed, 2 usage error, 3 service unreachable, 4 job or wave waiting for you.`;

/**
 * Creates the command line for suppliers, which needs only an address and an API key.
 * @param environment of the process
 */
export function supplierProgram(environment: Readonly<Record<string, string | undefined>>): Command {
  const surroundings = supplierSurroundings(environment);
  const program = new Command(surroundings.program)
    .description('Import data into gangway and follow the import.')
    .version(programVersion());
  const { program: name } = surroundings;
  const commands = [migrateCommand, importCommand, jobsCommand, wavesCommand, reconcileCommand].map((make) =>
    make(surroundings),
  );
  commands.push(profileCommand(surroundings), manifestCommand(name), verifyCertificateCommand(name));
  for (const command of commands) program.addCommand(command);
  program.addCommand(doctorCommand(surroundings, program)).addCommand(helpCommand(program, name));
  addCompletion(program, name);
  return program.addHelpText('after', ABOUT);
}

const PROGRAM = 'gangway';
const ADVICE: Advice = {
  unreachable: 'Check the address and your network; GANGWAY_URL or --url names the service.',
  notAuthenticated: 'The API key is not taken. Was it revoked? Ask the operators for another one.',
  notPermitted: 'The API key may not do that. Ask the operators which import suppliers it is for.',
};

/**
 * Connects with only an address and a key: from GANGWAY_URL and GANGWAY_API_KEY, options, or a prompt.
 * @param environment of the process
 */
function supplierSurroundings(environment: Readonly<Record<string, string | undefined>>): Surroundings {
  const { GANGWAY_URL: address, GANGWAY_API_KEY: givenKey, GANGWAY_API_KEY_FILE: givenFile } = environment;
  const findAddress = (options: AccessOptions): string => {
    const url = options.url ?? findProfile(options, environment)?.url ?? urlIn(address);
    if (url !== undefined) return url;
    throw new CommandError('Which service? Set GANGWAY_URL, or add --url <address>.', exitStatuses.usage);
  };
  const readKey = async (options: AccessOptions, isInputUsed: boolean): Promise<string> => {
    const profile = findProfile(options, environment);
    if (profile !== undefined) return keyOfProfile(profile);
    if (isInputUsed && options.keyFile === '-') {
      throw new CommandError(
        'Standard input contains the records, so the key must come from somewhere else.',
        exitStatuses.usage,
      );
    }
    const file = options.keyFile ?? (givenKey ? undefined : givenFile);
    const advice = 'Name a file that contains it with --key-file <path>, or set GANGWAY_API_KEY.';
    return findKey(file, givenKey, !isInputUsed, advice);
  };
  return {
    program: PROGRAM,
    options: [
      PROFILE,
      new Option('--url <address>', 'address of the service; without it GANGWAY_URL').argParser(checkedUrl),
      new Option(
        '--key-file <path>',
        'file with the API key; "-" is standard input. Without it GANGWAY_API_KEY, GANGWAY_API_KEY_FILE, or a prompt',
      ),
      INSECURE,
      NO_KEY,
    ],
    environment: () => environment,
    findAddress,
    connect: async (options, isInputUsed) => {
      const url = findAddress(options);
      assertSafeForKey(url, options.insecure);
      return connectWithKey({ url, key: await readKey(options, isInputUsed), program: PROGRAM, advice: ADVICE });
    },
  };
}

/** @throws CommandError, because commander reports invalid values of options only */
function urlIn(variable: string | undefined): string | undefined {
  try {
    return variable ? checkedUrl(variable) : undefined;
  } catch (error) {
    throw new CommandError(`GANGWAY_URL is not valid. ${(error as Error).message}`, exitStatuses.usage);
  }
}

import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import { CommandError, exitStatuses } from './command-error.ts';
import { textIn, writePrivateJson } from './files.ts';

/** A named service: its address, and the file with the API key. The key itself is never stored here. */
export interface Profile {
  url: string;
  key_file: string;
}

/** The variables that name the configuration of the command line. */
export interface ProfileEnvironment {
  XDG_CONFIG_HOME?: string | undefined;
  GANGWAY_PROFILE?: string | undefined;
}

/** The environment of the operators' command line; these variables are no settings of a service. */
export const readEnvironment = (): ProfileEnvironment => process.env;

export const PROFILE = new Option('--profile <name>', 'address and key of `profile set`; without it GANGWAY_PROFILE');

const READ_BY_OTHERS = 0o077;

/** The folder of session and profiles: XDG_CONFIG_HOME/gangway, by default below ~/.config. */
export function configFolder({ XDG_CONFIG_HOME: folder }: ProfileEnvironment): string {
  return join(folder || join(homedir(), '.config'), 'gangway');
}

/** The file of the profiles. */
export function profilesFile(environment: ProfileEnvironment): string {
  return join(configFolder(environment), 'profiles.json');
}

/**
 * Reads the stored profiles.
 * @throws CommandError if the file is not valid
 */
export function readProfiles(environment: ProfileEnvironment): Map<string, Profile> {
  const file = profilesFile(environment);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, exitStatuses.usage);
  }
  const profiles = profilesIn(text);
  if (profiles !== undefined) return profiles;
  throw new CommandError(
    `${file} is not valid. It must be {"<name>": {"url": "...", "key_file": "..."}}. Correct or delete it.`,
    exitStatuses.usage,
  );
}

function profilesIn(text: string): Map<string, Profile> | undefined {
  try {
    const profiles = new Map(Object.entries(JSON.parse(text) as Record<string, Partial<Profile> | null>));
    const areValid = [...profiles.values()].every(
      (one) => typeof one?.url === 'string' && typeof one.key_file === 'string',
    );
    return areValid ? (profiles as Map<string, Profile>) : undefined;
  } catch {
    return undefined;
  }
}

/** Stores the profiles, readable by this user only. */
export function writeProfiles(environment: ProfileEnvironment, profiles: ReadonlyMap<string, Profile>): void {
  writePrivateJson(profilesFile(environment), Object.fromEntries(profiles));
}

/**
 * Finds the profile that an option or the environment names.
 * @returns undefined if neither names one
 * @throws CommandError if there is no such profile
 */
export function findProfile(
  options: { profile?: string; url?: string; keyFile?: string },
  environment: ProfileEnvironment,
): Profile | undefined {
  const isAddressGiven = options.url !== undefined || options.keyFile !== undefined;
  if (options.profile !== undefined && isAddressGiven) {
    throw new CommandError('Use --profile, or --url and --key-file.', exitStatuses.usage);
  }
  const name = options.profile ?? (isAddressGiven ? undefined : environment.GANGWAY_PROFILE);
  if (name === undefined || name === '') return undefined;
  const profiles = readProfiles(environment);
  const profile = profiles.get(name);
  if (profile !== undefined) return profile;
  const known = profiles.size === 0 ? 'There is no profile yet.' : `Profiles: ${[...profiles.keys()].join(', ')}.`;
  throw new CommandError(
    `There is no profile "${name}". ${known} Create it: profile set ${name} --url <address> --key-file <path>`,
    exitStatuses.usage,
  );
}

/**
 * Reads the key of a profile.
 * @throws CommandError if other users of the machine can read the file
 */
export function keyOfProfile({ key_file: file }: Profile): string {
  const key = textIn(file, `The key file ${file}`).trim();
  if (process.platform !== 'win32' && (statSync(file).mode & READ_BY_OTHERS) !== 0) {
    throw new CommandError(
      `Other users of this machine can read the key file ${file}. Run: chmod 600 ${file}`,
      exitStatuses.usage,
    );
  }
  if (key !== '') return key;
  throw new CommandError(`The key file ${file} is empty. Write the API key to it.`, exitStatuses.usage);
}

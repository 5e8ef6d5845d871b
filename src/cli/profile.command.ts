import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { assertSafeForKey, checkedUrl, NO_KEY } from './api-key-input.ts';
import { commandGroup, commandOf, type CommandSpec, type JsonOption } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { Surroundings } from './connection.ts';
import { printAnswer, printLine, printTable } from './output.ts';
import { keyOfProfile, profilesFile, readProfiles, writeProfiles } from './profiles.ts';

const profileSchema = {
  type: 'object',
  required: ['name', 'url', 'key_file'],
  properties: { name: { type: 'string' }, url: { type: 'string' }, key_file: { type: 'string' } },
};

/** `profile set|list|remove`: named services, each with its address and the file of its key. */
export function profileCommand(surroundings: Surroundings): Command {
  const { environment } = surroundings;
  const set: CommandSpec = {
    usage: 'set <name>',
    description: 'Store the address of a service and the file of an API key under a name.',
    examples: ['profile set test --url https://gangway.example --key-file ~/.gangway-key'],
    options: [
      new Option('--url <address>', 'address of the service').argParser(checkedUrl).makeOptionMandatory(),
      new Option('--key-file <path>', 'file with the API key, readable by you only').makeOptionMandatory(),
      NO_KEY,
    ],
    prints: { schema: profileSchema },
    act: async ({ name, url, keyFile, json }: JsonOption & { name: string; url: string; keyFile: string }) => {
      if (!/^[\w][\w.-]{0,63}$/.test(name)) {
        throw new CommandError('A name has letters, digits, dots, hyphens and underscores.', exitStatuses.usage);
      }
      assertSafeForKey(url, false);
      const profile = { url, key_file: resolve(keyFile) };
      keyOfProfile(profile);
      writeProfiles(environment(), readProfiles(environment()).set(name, profile));
      printAnswer({ name, ...profile }, json, () =>
        printLine(
          `Stored in ${profilesFile(environment())}. Use it with --profile ${name} or GANGWAY_PROFILE=${name}.`,
        ),
      );
    },
  };
  const list: CommandSpec = {
    usage: 'list',
    description: 'List the profiles.',
    examples: ['profile list'],
    prints: { schema: { type: 'array', items: profileSchema } },
    act: async ({ json }: JsonOption) => {
      const profiles = [...readProfiles(environment())].map(([name, profile]) => ({ name, ...profile }));
      printAnswer(profiles, json, () =>
        printTable(profiles, { NAME: 'name', ADDRESS: 'url', 'KEY FILE': 'key_file' }, 'There is no profile yet.'),
      );
    },
  };
  const remove: CommandSpec = {
    usage: 'remove <name>',
    description: 'Remove a profile; the file of its key stays.',
    examples: ['profile remove test'],
    prints: { schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
    act: async ({ name, json }: JsonOption & { name: string }) => {
      const profiles = readProfiles(environment());
      if (!profiles.delete(name)) throw new CommandError(`There is no profile "${name}".`, exitStatuses.usage);
      writeProfiles(environment(), profiles);
      printAnswer({ name }, json, () => printLine(`Removed ${name}.`));
    },
  };
  const commands = [set, list, remove].map((spec) => commandOf({ ...surroundings, options: [] }, spec));
  return commandGroup('profile', 'Services by name: address and key file', commands);
}

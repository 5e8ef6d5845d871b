import { Command } from 'commander';
import { tableOf } from '../foundation/table.ts';
import { withExamples } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { printLine } from './output.ts';

/**
 * The manual page of the program in the macros of man(7), from its commands and the topics of `help`.
 * @param name as which the program is installed
 * @param sections further sections with plain text
 */
function manPage(program: Command, name: string, sections: ReadonlyMap<string, string>): string {
  const description = program.description().replace(/\.$/, '');
  const lines = [
    `.TH ${name.toUpperCase()} 1 "" "${roff(`gangway ${program.version() ?? ''}`)}" "${roff('gangway manual')}"`,
    // No words are divided or stretched, so that names can be copied.
    '.nh',
    '.ad l',
    '.SH NAME',
    `${roff(name)} \\- ${roff(description)}`,
    '.SH SYNOPSIS',
    `.B ${roff(name)}`,
    roff('[options] <command>'),
    '.SH COMMANDS',
    ...leavesOf(program).flatMap((command) => commandLines(command, name)),
    ...[...sections].flatMap(([title, text]) => [
      `.SH ${roff(title.replaceAll('-', ' ').toUpperCase())}`,
      '.EX',
      ...text.split('\n').map(roff),
      '.EE',
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The commands that do something, without hidden ones. */
function leavesOf(command: Command): Command[] {
  // Without the help that each group has.
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.parent === command);
  return below.flatMap((one) => (one.commands.length === 0 ? [one] : leavesOf(one)));
}

function commandLines(command: Command, name: string): string[] {
  const help = command.createHelp();
  const path = [command.name()];
  for (let above = command.parent; above?.parent; above = above.parent) path.unshift(above.name());
  return [
    `.SS "${roff([name, ...path, command.usage()].join(' '))}"`,
    roff(command.description()),
    ...[
      ...help.visibleArguments(command),
      ...help.visibleOptions(command).filter(({ long }) => long !== '--help'),
    ].flatMap((one) => [
      '.TP',
      `.B ${roff('flags' in one ? one.flags : one.name())}`,
      roff('flags' in one ? help.optionDescription(one) : help.argumentDescription(one)) || '\\&',
    ]),
  ];
}

/** Plain text for roff: no escapes, hyphens that can be copied, and no line that looks like a request. */
function roff(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('"', String.raw`\(dq`)
    .replaceAll('\n', ' ')
    .replace(/^(?=[.'])/, String.raw`\&`);
}

/** Topics of `help` beside the commands. */
const topics = tableOf({
  environment: `Variables that the command line reads:

  GANGWAY_PROFILE          profile to use; overrides the two below (help profiles)
  GANGWAY_URL              address of the service, for suppliers
  GANGWAY_API_KEY          API key; GANGWAY_API_KEY_FILE names a file that contains it
  XDG_CONFIG_HOME          folder of gangway/profiles.json and gangway/session.json, by default ~/.config
  NODE_EXTRA_CA_CERTS      certificates of your own certificate authority
  NODE_USE_ENV_PROXY       1 to use the proxy in HTTPS_PROXY
  NO_COLOR                 the output has no colors, with or without it`,
  'exit-status': `Exit statuses:

  0    done
  1    refused or failed; records failed
  2    usage error
  3    service unreachable
  4    a job or wave waits for you
  5    mismatches of \`check\` that need a decision
  130  interrupted; jobs on the service continue`,
  json: `--json prints the response as one JSON line, on standard output. Messages go to standard error, and the exit status is the same.

Most commands print the response of one operation; its schema is in /openapi.json of the service. A few compose their output. The table of all
commands with their schemas is in the guide "The command line": docs/suppliers/command-line.md, also at /docs/guide/command-line/ of the service;
that of operators is in docs/operators/command-output.md.

The form is stable: a release adds members, and removes or changes them only with a new major version. Ignore members that you do not know.`,
  profiles: `A profile is a name for a service: its address, and the file with your API key.

  profile set test --url https://gangway.example --key-file ~/.gangway-key
  doctor --profile test
  export GANGWAY_PROFILE=test

Profiles are in ~/.config/gangway/profiles.json, without keys. A key file must be readable by you only (chmod 600). --url and --key-file are used
instead of GANGWAY_PROFILE.`,
});

/** `help [topic]`: help about a command, or a topic. */
export function helpCommand(program: Command, called: string): Command {
  program.helpCommand(false);
  const help = new Command('help')
    .argument('[words...]', `a command, or a topic: ${[...topics.keys()].join(', ')}`)
    .option('--man', 'print all of it as a manual page')
    .description('Show help about a command or a topic.')
    .action((words: string[], { man }: { man?: boolean }) => {
      if (man === true) {
        process.stdout.write(manPage(program, 'gangway', topics));
        return undefined;
      }
      const [first = ''] = words;
      const topic = words.length === 1 ? topics.get(first) : undefined;
      if (topic !== undefined) return printLine(topic);
      findCommand(program, words).outputHelp();
    });
  return withExamples(help, called, ['help', 'help exit-status', 'help --man > ~/.local/share/man/man1/gangway.1']);
}

function findCommand(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => {
    const below = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (below !== undefined) return below;
    throw new CommandError(
      `There is no command or topic "${words.join(' ')}". Topics: ${[...topics.keys()].join(', ')}.`,
      exitStatuses.usage,
    );
  }, program);
}

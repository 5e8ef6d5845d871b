import { Command } from 'commander';
import { tableOf } from '../foundation/table.ts';
import { withExamples } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { manPage } from './man-page.ts';
import { printLine } from './output.ts';

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

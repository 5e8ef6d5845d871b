import type { Command } from 'commander';
import { commandGroup, givenOnly, operatorCommand, pathOf, REASON_OPTION } from './operator-command.ts';
import { printOutline, printTable } from './output.ts';

interface Team {
  name: string;
  created_at: string;
}

/** `team list|show|set`: operations teams that requests may name. */
export function teamCommand(): Command {
  return commandGroup('team', 'Operations teams', [
    operatorCommand({
      usage: 'list',
      description: 'List all teams.',
      examples: ['team list'],
      call: (client): Promise<Team[]> => client.call('GET', 'operations-teams/'),
      show: (teams) =>
        printTable(
          teams,
          { NAME: (one) => one.name, SINCE: (one) => one.created_at },
          'There are no teams yet. Create one: npm run cli -- team set <name>',
        ),
    }),
    operatorCommand({
      usage: 'show <name>',
      description: 'Show one team.',
      examples: ['team show Migration'],
      call: (client, name: string): Promise<Team> => client.call('GET', `operations-teams/${pathOf(name)}`),
      show: printOutline,
    }),
    operatorCommand({
      usage: 'set <name>',
      description: 'Create a team if it does not exist.',
      examples: ['team set Migration'],
      options: (command) => command.option(...REASON_OPTION),
      call: (client, name: string, options: { reason?: string }): Promise<Team> =>
        client.call('PUT', `operations-teams/${pathOf(name)}`, givenOnly({ reason: options.reason })),
      show: printOutline,
    }),
  ]);
}

import { Option, type Command } from 'commander';
import { commandGroup, operatorCommand, pathOf, REASON_OPTION } from './operator-command.ts';
import { printOutline, printTable } from './output.ts';

interface Organisation {
  name: string;
  customer_authorisation: boolean;
  created_at: string;
}

interface SetOptions {
  customerAuthorisation: 'on' | 'off';
  reason: string;
}

/** `organisation list|show|set`: the holders of keys, and their agreed limits. */
export function organisationCommand(): Command {
  return commandGroup('organisation', 'Organizations that keys are issued to', [
    operatorCommand({
      usage: 'list',
      description: 'List all organizations.',
      examples: ['organisation list'],
      call: (client): Promise<Organisation[]> => client.call('GET', 'organisations/'),
      show: (all) =>
        printTable(
          all,
          {
            NAME: (one) => one.name,
            'CUSTOMER AUTHORIZATION': (one) => (one.customer_authorisation ? 'on' : 'off'),
            SINCE: (one) => one.created_at,
          },
          'There is no organization yet. Create its first key to create it.',
        ),
    }),
    operatorCommand({
      usage: 'show <name>',
      description: 'Show one organization.',
      examples: ['organisation show Acme'],
      call: (client, name: string): Promise<Organisation> => client.call('GET', `organisations/${pathOf(name)}`),
      show: printOutline,
    }),
    operatorCommand({
      usage: 'set <name>',
      description:
        "Set whether its batches of supply points declare the customers' authorization if they do not state it themselves.",
      examples: ['organisation set Acme --customer-authorisation on --reason "mandates checked on 12 May"'],
      options: (command) =>
        command
          .addOption(
            new Option('--customer-authorisation <on or off>', 'the customers have authorized the lookups')
              .choices(['on', 'off'])
              .makeOptionMandatory(),
          )
          .requiredOption(...REASON_OPTION),
      call: (client, name: string, options: SetOptions): Promise<Organisation> =>
        client.call('PUT', `organisations/${pathOf(name)}`, {
          customer_authorisation: options.customerAuthorisation === 'on',
          reason: options.reason,
        }),
      show: printOutline,
    }),
  ]);
}

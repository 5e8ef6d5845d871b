import { Option, type Command } from 'commander';
import { commandGroup, operatorCommand, pathOf } from './operator-command.ts';
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
  return commandGroup('organisation', 'Organisations that keys are issued to', [
    operatorCommand({
      usage: 'list',
      description: 'List all organisations.',
      examples: ['organisation list'],
      ask: (client): Promise<Organisation[]> => client.call('GET', 'organisations/'),
      show: (all) =>
        printTable(
          all,
          {
            NAME: (one) => one.name,
            'CUSTOMER AUTHORISATION': (one) => (one.customer_authorisation ? 'on' : 'off'),
            SINCE: (one) => one.created_at,
          },
          'There is no organisation yet; its first key creates it.',
        ),
    }),
    operatorCommand({
      usage: 'show <name>',
      description: 'Show one organisation.',
      examples: ['organisation show Acme'],
      ask: (client, name: string): Promise<Organisation> => client.call('GET', `organisations/${pathOf(name)}`),
      show: printOutline,
    }),
    operatorCommand({
      usage: 'set <name>',
      description:
        "Set what its batches of supply points say of the customers' authorisation when they say nothing themselves.",
      examples: ['organisation set Acme --customer-authorisation on --reason "mandates checked on 12 May"'],
      options: (command) =>
        command
          .addOption(
            new Option('--customer-authorisation <on or off>', 'the customers have authorised the lookups')
              .choices(['on', 'off'])
              .makeOptionMandatory(),
          )
          .requiredOption('--reason <text>', 'why; kept in the audit'),
      ask: (client, name: string, options: SetOptions): Promise<Organisation> =>
        client.call('PUT', `organisations/${pathOf(name)}`, {
          customer_authorisation: options.customerAuthorisation === 'on',
          reason: options.reason,
        }),
      show: printOutline,
    }),
  ]);
}

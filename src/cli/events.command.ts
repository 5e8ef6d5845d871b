import type { Command } from 'commander';
import { commandGroup, givenOnly, operatorCommand, pathOf, REASON_OPTION } from './operator-command.ts';
import { printLine, printTable } from './output.ts';

interface Endpoint {
  endpoint_id: string;
  import_supplier: string;
  url: string;
  delivered_at: string | null;
  failing_since: string | null;
  failure: string | null;
  ended_at: string | null;
  ended_because: string | null;
}
type WithSecret = Endpoint & { secret: string };

const PATH = 'event-endpoints/';

/** `events add|list|secret|remove`: the endpoints to which events of import suppliers are delivered. */
export function eventsCommand(): Command {
  return commandGroup('events', 'Webhook endpoints', [
    operatorCommand({
      usage: 'add <supplier> <url>',
      description: 'Add an endpoint for events. Its signing secret is shown only once.',
      examples: ['events add ACME https://hooks.acme.example/gangway --organisation "Acme Energy"'],
      options: (command) =>
        command
          .option('--organisation <name>', 'organization whose import jobs and batches are included')
          .option(...REASON_OPTION),
      call: (
        client,
        supplier: string,
        url: string,
        { organisation, reason }: { organisation?: string; reason?: string },
      ): Promise<WithSecret> =>
        client.call('POST', PATH, givenOnly({ import_supplier: supplier, url, organisation, reason })),
      show: showSecret,
    }),
    operatorCommand({
      usage: 'list',
      description: 'List endpoints with their delivery status.',
      examples: ['events list'],
      call: (client): Promise<Endpoint[]> => client.call('GET', PATH),
      show: (endpoints) =>
        printTable(
          endpoints,
          {
            id: (one) => one.endpoint_id,
            supplier: (one) => one.import_supplier,
            address: (one) => one.url,
            state: stateOf,
          },
          'There are no endpoints.',
        ),
    }),
    operatorCommand({
      usage: 'secret <id>',
      description: 'Create a new secret for an endpoint. The previous one also signs for 24 hours.',
      examples: ['events secret 0198c0de-0000-7000-8000-00000000000e'],
      options: (command) => command.option(...REASON_OPTION),
      call: (client, id: string, options: { reason?: string }): Promise<WithSecret> =>
        client.call('POST', `${PATH}${pathOf(id, 'secret')}`, givenOnly({ reason: options.reason })),
      show: showSecret,
    }),
    operatorCommand({
      usage: 'remove <id>',
      description: 'Remove an endpoint; deliveries to it end.',
      examples: ['events remove 0198c0de-0000-7000-8000-00000000000e --reason "another receiver"'],
      options: (command) => command.option(...REASON_OPTION),
      call: (client, id: string, options: { reason?: string }): Promise<Endpoint> =>
        client.call('DELETE', `${PATH}${pathOf(id)}`, givenOnly({ reason: options.reason })),
      show: ({ url }) => printLine(`Deliveries to ${url} have ended.`),
    }),
  ]);
}

function showSecret({ endpoint_id: id, url, secret }: WithSecret): void {
  printLine(`Endpoint ${id} at ${url}`);
  printLine(`Secret: ${secret}`);
  printLine('The secret is shown only once.');
}

function stateOf({ ended_because: because, failing_since: since, failure, delivered_at: delivered }: Endpoint): string {
  if (because !== null) return because === 'gone' ? 'gone (410)' : because;
  if (since !== null) return `fails since ${since}: ${failure}`;
  return delivered === null ? 'nothing delivered yet' : `delivered at ${delivered}`;
}

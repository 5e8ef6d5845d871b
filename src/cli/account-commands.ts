import { Option, type Command } from 'commander';
import type { ErasureReceipt } from '../personal-data/erase/erasure.schema.ts';
import { switchStatuses } from '../vocabulary/switch-statuses.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { textIn } from './files.ts';
import {
  line,
  operatorCommand,
  operatorGroup,
  REASON,
  REQUIRED_REASON,
  table,
  type CallSpec,
} from './operator-command.ts';
import { printJson, printLine, printTable } from './output.ts';

const CUSTOMER = new Option(
  '--customer <place>',
  'position of the person among the customers, from 0; without it, all customers',
);

/** `erase`: erases the personal data of a person. */
export const eraseCommand = (): Command =>
  operatorCommand({
    usage: 'erase <supplier> <number>',
    description: 'Erase the data of a person. Amounts, dates and keys are kept. This cannot be undone.',
    examples: ['erase ACME A-1001 --customer 1 --reason "request of 2026-11-20"'],
    options: [CUSTOMER, REQUIRED_REASON],
    route: 'POST erasures/',
    members: ({ supplier, number, customer, reason }: Record<string, string>) => ({
      ...(customer === undefined ? {} : { customer: Number(customer) }),
      import_supplier: supplier,
      external_account_number: number,
      reason,
    }),
    show: (receipt: ErasureReceipt) => {
      printLine(`Erased at ${receipt.erased_at}; receipt ${receipt.erasure_id}, SHA-256 ${receipt.sha256}.`);
      for (const { table: name, rows, columns } of receipt.tables) {
        printLine(`  ${name}: ${rows} rows ${columns.length === 0 ? 'deleted' : `(${columns.join(', ')})`}`);
      }
    },
  });

/** `export-person`: prints all stored data of a person. */
export const exportPersonCommand = (): Command =>
  operatorCommand({
    usage: 'export-person <supplier> <number>',
    description: 'Print all stored data of a person as JSON.',
    examples: ['export-person ACME A-1001 > person.json'],
    options: [CUSTOMER],
    route: 'GET exports/<supplier>/<number>/',
    show: printJson,
  });

const SKIP = 'account-import-processes/<supplier>/<number>/skip/';

/** `skip set|unset`: accounts that are neither staged nor created. */
export const skipCommand = (): Command =>
  operatorGroup('skip', 'Accounts marked to be skipped', [
    {
      usage: 'set <supplier> <number>',
      description: 'Mark a staged account to be skipped.',
      examples: ['skip set ACME A-1001 --reason "duplicate customer"'],
      options: [REASON],
      route: `PUT ${SKIP}`,
      show: line('{import_supplier} {external_account_number} is skipped since {skipped_at}.'),
    },
    {
      usage: 'unset <supplier> <number>',
      description: 'Remove the skip mark of an account.',
      examples: ['skip unset ACME A-1001'],
      options: [REASON],
      route: `DELETE ${SKIP}`,
      show: line('{import_supplier} {external_account_number} is not skipped.'),
    },
  ]);

const SHOW = 'GET accounts/<supplier>/<number>/';
const PIN = 'accounts/<supplier>/<number>/notes/<note>/pin/';

/** `account show|pin|unpin`: all stored data of one account, and which of its notes are pinned. */
export const accountCommand = (): Command =>
  operatorGroup('account', 'Imported and staged accounts', [
    {
      usage: 'show <supplier> <number>',
      description: 'Show all stored data of an account. The read is audited.',
      examples: ['account show ACME A-1001', 'account show ACME A-1001 --json'],
      options: [new Option('--reveal', 'show masked contact data, for a key with the scope read; audited')],
      route: SHOW,
    },
    {
      usage: 'pin <supplier> <number> <note>',
      description: 'Pin a note; account show numbers them.',
      examples: ['account pin ACME A-1001 0 --until 2027-01-31T23:00:00Z'],
      options: [new Option('--until <instant>', 'unpin it automatically at this time'), REASON],
      route: `PUT ${PIN}`,
      members: { until: 'unpin_at' },
      show: ({ note, unpin_at: until }: { note: number; unpin_at: string | null }) =>
        printLine(`Note ${note} is pinned${until === null ? '' : ` until ${until}`}.`),
    },
    {
      usage: 'unpin <supplier> <number> <note>',
      description: 'Unpin a note.',
      examples: ['account unpin ACME A-1001 0'],
      options: [REASON],
      route: `DELETE ${PIN}`,
      show: line('Note {note} is not pinned.'),
    },
  ]);

/** `switch show|set|send-again|decide|messages|dismiss`: the industry switch of an account. */
export const switchCommand = (): Command =>
  operatorGroup('switch', 'The industry switch of accounts', [
    {
      usage: 'show <supplier> <number>',
      description: 'Show the switch status of an account and its history. The read is audited.',
      examples: ['switch show ACME A-1001'],
      route: SHOW,
      show: showHistory,
    },
    changeOfPoints({
      usage: 'set <supplier> <number>',
      description: 'Set the switch status manually, for all supply points or for one.',
      examples: ['switch set ACME A-1001 --status COMPLETED --reason "reported by phone"'],
      choice: new Option('--status <status>', 'what it is').choices(Object.keys(switchStatuses)),
    }),
    changeOfPoints({
      usage: 'send-again <supplier> <number>',
      description: 'Request the switch again, for all supply points or for one.',
      examples: ['switch send-again ACME A-1001 --reason "the customer has signed"'],
    }),
    changeOfPoints({
      usage: 'decide <supplier> <number>',
      description:
        'Decide about supply points that are also on another account: request their switch, or leave them to that account.',
      examples: [
        'switch decide ACME A-1001 --decision GO_ON --reason "the former customer has moved out"',
        'switch decide ACME A-1001 --decision LEAVE --point 25012345678901 --reason "imported twice"',
      ],
      choice: new Option('--decision <decision>', 'what becomes of them').choices(['GO_ON', 'LEAVE']),
    }),
    {
      usage: 'messages <file>',
      description: 'Send market messages: a file of JSON with one message or a list.',
      examples: ['switch messages enedis-2026-11-21.json'],
      route: 'POST market-messages/',
      members: ({ file }: { file: string }) => [jsonIn(file)].flat(),
      show: ({ results }: { results: unknown[] }) =>
        printTable(results, { MESSAGE: 'message_id', STATUS: 'status' }, 'No message was sent.'),
    },
    {
      usage: 'dismiss <message>',
      alias: 'set-aside',
      description: 'Dismiss an unmatched market message.',
      examples: ['switch dismiss ENEDIS-42 --reason "meant for another supplier"'],
      options: [REQUIRED_REASON],
      route: 'DELETE market-messages/<message>/',
      show: line('{message_id} is dismissed.'),
    },
  ]);

/** A command that changes all supply points of an account, or one: by its mandatory choice, or back to PENDING. */
function changeOfPoints({ choice, ...texts }: Omit<CallSpec, 'route'> & { choice?: Option }): CallSpec {
  return {
    ...texts,
    options: [
      ...(choice === undefined ? [] : [choice.makeOptionMandatory()]),
      new Option('--point <identifier>', 'only this supply point'),
      REQUIRED_REASON,
    ],
    route: `PUT account-import-processes/<supplier>/<number>/${choice?.name() === 'decision' ? 'supply-point-claim' : 'switch-status'}/`,
    members: ({ status, decision, point, reason }: Record<string, string>) => ({
      status: choice === undefined ? 'PENDING' : status,
      decision,
      reason,
      supply_point_identifier: point,
    }),
    show: showPoints,
  };
}

function showHistory({ account }: { account: null | { switch_status: string; switch_history: unknown[] } }): void {
  if (account === null) return printLine('The account is not created yet.');
  printLine(account.switch_status);
  printTable(
    account.switch_history,
    { AT: 'at', POINT: 'supply_point_identifier', FROM: 'from', TO: 'to', BY: 'by', REASON: 'reason' },
    'The status has not changed yet.',
  );
}

interface SwitchedAccount {
  supply_points: { status: string; held: boolean }[];
}

function showPoints(answer: SwitchedAccount): void {
  line('{import_supplier} {external_account_number} is {status}.')(answer);
  printTable(
    answer.supply_points,
    {
      POINT: 'identifier',
      TYPE: 'supply_type',
      STATUS: ({ status, held }) => (held ? `${status}, on another account too` : status),
    },
    'The account has no supply points.',
  );
}

function jsonIn(file: string): object {
  const text = textIn(file);
  try {
    return JSON.parse(text) as object;
  } catch {
    throw new CommandError(`${file} is not JSON.`, exitStatuses.usage);
  }
}

interface Endpoint {
  delivered_at: string | null;
  failing_since: string | null;
  failure: string | null;
  ended_because: string | null;
}

const SECRET = line('Endpoint {endpoint_id} at {url}\nSecret: {secret}\nThe secret is shown only once.');

/** `events add|list|secret|remove`: the endpoints to which events of import suppliers are delivered. */
export const eventsCommand = (): Command =>
  operatorGroup('events', 'Webhook endpoints', [
    {
      usage: 'add <supplier> <url>',
      description: 'Add an endpoint for events. Its signing secret is shown only once.',
      examples: ['events add ACME https://hooks.acme.example/gangway --organisation "Acme Energy"'],
      options: [new Option('--organisation <name>', 'organization whose import jobs and batches are included'), REASON],
      route: 'POST event-endpoints/',
      members: { supplier: 'import_supplier', url: 'url' },
      show: SECRET,
    },
    {
      usage: 'list',
      description: 'List endpoints with their delivery status.',
      examples: ['events list'],
      route: 'GET event-endpoints/',
      show: table(
        { id: 'endpoint_id', supplier: 'import_supplier', address: 'url', state: stateOf },
        'There are no endpoints.',
      ),
    },
    {
      usage: 'secret <id>',
      description: 'Create a new secret for an endpoint. The previous one also signs for 24 hours.',
      examples: ['events secret 0198c0de-0000-7000-8000-00000000000e'],
      options: [REASON],
      route: 'POST event-endpoints/<id>/secret/',
      show: SECRET,
    },
    {
      usage: 'remove <id>',
      description: 'Remove an endpoint; deliveries to it end.',
      examples: ['events remove 0198c0de-0000-7000-8000-00000000000e --reason "another receiver"'],
      options: [REASON],
      route: 'DELETE event-endpoints/<id>/',
      show: line('Deliveries to {url} have ended.'),
    },
  ]);

function stateOf({ ended_because: because, failing_since: since, failure, delivered_at: delivered }: Endpoint): string {
  if (because !== null) return because === 'gone' ? 'gone (410)' : because;
  if (since !== null) return `fails since ${since}: ${failure}`;
  return delivered === null ? 'nothing delivered yet' : `delivered at ${delivered}`;
}

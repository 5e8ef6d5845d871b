import { readFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { switchStatuses } from '../vocabulary/switch-statuses.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { commandGroup, givenOnly, operatorCommand, pathOf, REASON_OPTION } from './operator-command.ts';
import { printLine, printTable } from './output.ts';

interface SwitchView {
  import_supplier: string;
  external_account_number: string;
  status: string;
  supply_points: { identifier: string; supply_type: string; status: string; held: boolean }[];
}

interface Account {
  account: null | {
    switch_status: string;
    switch_history: {
      at: string;
      supply_point_identifier: string;
      from: string;
      to: string;
      by: string;
      reason: string | null;
    }[];
  };
}

interface Received {
  results: { message_id: string; status: string }[];
}

/** `switch show|set|send-again|decide|messages|dismiss`: the industry switch of an account. */
export function switchCommand(): Command {
  return commandGroup('switch', 'The industry switch of accounts', [
    showCommand(),
    setCommand(),
    sendAgainCommand(),
    decideCommand(),
    messagesCommand(),
    dismissCommand(),
  ]);
}

function showCommand(): Command {
  return operatorCommand({
    usage: 'show <supplier> <number>',
    description: 'Show the switch status of an account and its history. The read is audited.',
    examples: ['switch show ACME A-1001'],
    call: (client, supplier: string, number: string): Promise<Account> =>
      client.call('GET', `accounts/${pathOf(supplier, number)}`),
    show: showHistory,
  });
}

function setCommand(): Command {
  return pointsCommand({
    usage: 'set <supplier> <number>',
    description: 'Set the switch status manually, for all supply points or for one.',
    examples: ['switch set ACME A-1001 --status COMPLETED --reason "reported by phone"'],
    choice: new Option('--status <status>', 'what it is').choices(Object.keys(switchStatuses)),
  });
}

function sendAgainCommand(): Command {
  return pointsCommand({
    usage: 'send-again <supplier> <number>',
    description: 'Request the switch again, for all supply points or for one.',
    examples: ['switch send-again ACME A-1001 --reason "the customer has signed"'],
    fixed: { status: 'PENDING' },
  });
}

function decideCommand(): Command {
  return pointsCommand({
    usage: 'decide <supplier> <number>',
    description:
      'Decide about supply points that are also on another account: request their switch, or leave them to that account.',
    examples: [
      'switch decide ACME A-1001 --decision GO_ON --reason "the former customer has moved out"',
      'switch decide ACME A-1001 --decision LEAVE --point 25012345678901 --reason "imported twice"',
    ],
    choice: new Option('--decision <decision>', 'what becomes of them').choices(['GO_ON', 'LEAVE']),
    resource: 'supply-point-claim',
  });
}

/** A command that changes all supply points of an account, or one. Its mandatory choice, if any, is sent with the reason. */
function pointsCommand({
  choice,
  fixed,
  resource = 'switch-status',
  ...texts
}: {
  usage: string;
  description: string;
  examples: string[];
  choice?: Option;
  fixed?: Record<string, string>;
  resource?: string;
}): Command {
  return operatorCommand({
    ...texts,
    options: (command) =>
      (choice === undefined ? command : command.addOption(choice.makeOptionMandatory()))
        .option('--point <identifier>', 'only this supply point')
        .requiredOption(...REASON_OPTION),
    call: (
      client,
      supplier: string,
      number: string,
      { status, decision, point, reason }: { status?: string; decision?: string; point?: string; reason: string },
    ): Promise<SwitchView> =>
      client.call(
        'PUT',
        `account-import-processes/${pathOf(supplier, number, resource)}`,
        givenOnly({ status, decision, reason, supply_point_identifier: point, ...fixed }),
      ),
    show: showPoints,
  });
}

function messagesCommand(): Command {
  return operatorCommand({
    usage: 'messages <file>',
    description: 'Send market messages: a file of JSON with one message or a list.',
    examples: ['switch messages enedis-2026-11-21.json'],
    call: async (client, file: string): Promise<Received> =>
      client.call('POST', 'market-messages/', await jsonIn(file)),
    show: ({ results }) =>
      printTable(results, { MESSAGE: (one) => one.message_id, STATUS: (one) => one.status }, 'No message was sent.'),
  });
}

function dismissCommand(): Command {
  return operatorCommand({
    usage: 'dismiss <message>',
    description: 'Dismiss an unmatched market message.',
    examples: ['switch dismiss ENEDIS-42 --reason "meant for another supplier"'],
    options: (command) => command.alias('set-aside').requiredOption(...REASON_OPTION),
    call: (client, message: string, { reason }: { reason: string }): Promise<{ message_id: string }> =>
      client.call('DELETE', `market-messages/${pathOf(message)}`, { reason }),
    show: ({ message_id: id }) => printLine(`${id} is dismissed.`),
  });
}

function showHistory({ account }: Account): void {
  if (account === null) return printLine('The account is not created yet.');
  printLine(account.switch_status);
  printTable(
    account.switch_history,
    {
      AT: (one) => one.at,
      POINT: (one) => one.supply_point_identifier,
      FROM: (one) => one.from,
      TO: (one) => one.to,
      BY: (one) => one.by,
      REASON: (one) => one.reason,
    },
    'The status has not changed yet.',
  );
}

function showPoints({
  import_supplier: supplier,
  external_account_number: number,
  status,
  supply_points: points,
}: SwitchView): void {
  printLine(`${supplier} ${number} is ${status}.`);
  printTable(
    points,
    {
      POINT: (one) => one.identifier,
      TYPE: (one) => one.supply_type,
      STATUS: (one) => (one.held ? `${one.status}, on another account too` : one.status),
    },
    'The account has no supply points.',
  );
}

async function jsonIn(file: string): Promise<object> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as object;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new CommandError(
      code === undefined ? `${file} is not JSON.` : `${file} cannot be read (${code}).`,
      exitStatuses.usage,
    );
  }
}

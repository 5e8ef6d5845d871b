import type { Command } from 'commander';
import { commandGroup, operatorCommand, pathOf } from './operator-command.ts';
import { printOutline } from './output.ts';

/** `account show`: all that is stored of one account. */
export function accountCommand(): Command {
  return commandGroup('account', 'Imported and staged accounts', [
    operatorCommand({
      usage: 'show <supplier> <number>',
      description: 'Show all that is stored of an account. The read is noted in the audit.',
      examples: ['account show ACME A-1001', 'account show ACME A-1001 --json'],
      ask: (client, supplier: string, number: string): Promise<object> =>
        client.call('GET', `accounts/${pathOf(supplier, number)}`),
      show: (account) => printOutline(account),
    }),
  ]);
}

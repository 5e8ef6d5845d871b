import type { Command } from 'commander';
import { commandGroup, givenOnly, operatorCommand, pathOf, REASON_OPTION } from './operator-command.ts';
import { printLine } from './output.ts';

interface SkipMark {
  import_supplier: string;
  external_account_number: string;
  skipped_at: string | null;
  skip_reason: string | null;
}

const pathTo = (supplier: string, number: string) => `account-import-processes/${pathOf(supplier, number, 'skip')}`;

/** `skip set|unset`: accounts that are neither staged nor created. */
export function skipCommand(): Command {
  return commandGroup('skip', 'Accounts marked to be skipped', [
    operatorCommand({
      usage: 'set <supplier> <number>',
      description: 'Mark a staged account to be skipped.',
      examples: ['skip set ACME A-1001 --reason "duplicate customer"'],
      options: (command) => command.option(...REASON_OPTION),
      call: (client, supplier: string, number: string, options: { reason?: string }): Promise<SkipMark> =>
        client.call('PUT', pathTo(supplier, number), givenOnly({ reason: options.reason })),
      show: (mark) =>
        printLine(`${mark.import_supplier} ${mark.external_account_number} is skipped since ${mark.skipped_at}.`),
    }),
    operatorCommand({
      usage: 'unset <supplier> <number>',
      description: 'Remove the skip mark of an account.',
      examples: ['skip unset ACME A-1001'],
      options: (command) => command.option(...REASON_OPTION),
      call: (client, supplier: string, number: string, options: { reason?: string }): Promise<SkipMark> =>
        client.call('DELETE', pathTo(supplier, number), givenOnly({ reason: options.reason })),
      show: (mark) => printLine(`${mark.import_supplier} ${mark.external_account_number} is not skipped.`),
    }),
  ]);
}

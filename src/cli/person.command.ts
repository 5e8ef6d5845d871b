import type { Command } from 'commander';
import type { ErasureReceipt } from '../personal-data/erase/erasures.openapi.ts';
import { givenOnly, operatorCommand, pathOf, REASON_OPTION } from './operator-command.ts';
import { printJson, printLine } from './output.ts';

const CUSTOMER = [
  '--customer <place>',
  'position of the person among the customers, from 0; without it, all customers',
] as const;

/** `erase`: erases the personal data of a person. */
export function eraseCommand(): Command {
  return operatorCommand({
    usage: 'erase <supplier> <number>',
    description: 'Erase the data of a person. Amounts, dates and keys are kept. This cannot be undone.',
    examples: ['erase ACME A-1001 --customer 1 --reason "request of 2026-11-20"'],
    options: (command) => command.option(...CUSTOMER).requiredOption(...REASON_OPTION),
    call: (
      client,
      supplier: string,
      number: string,
      { customer, reason }: { customer?: string; reason: string },
    ): Promise<ErasureReceipt> =>
      client.call('POST', 'erasures/', {
        ...givenOnly({ customer: customer === undefined ? undefined : Number(customer) }),
        import_supplier: supplier,
        external_account_number: number,
        reason,
      }),
    show: (receipt) => {
      printLine(`Erased at ${receipt.erased_at}; receipt ${receipt.erasure_id}, SHA-256 ${receipt.sha256}.`);
      for (const { table, rows, columns } of receipt.tables) {
        printLine(`  ${table}: ${rows} rows ${columns.length === 0 ? 'deleted' : `(${columns.join(', ')})`}`);
      }
    },
  });
}

/** `export-person`: prints all stored data of a person. */
export function exportPersonCommand(): Command {
  return operatorCommand({
    usage: 'export-person <supplier> <number>',
    description: 'Print all stored data of a person as JSON.',
    examples: ['export-person ACME A-1001 > person.json'],
    options: (command) => command.option(...CUSTOMER),
    call: (client, supplier: string, number: string, { customer }: { customer?: string }): Promise<object> =>
      client.call(
        'GET',
        `exports/${pathOf(supplier, number)}${customer === undefined ? '' : `?customer=${encodeURIComponent(customer)}`}`,
      ),
    show: printJson,
  });
}

import { InvalidArgumentError, Option, type Command } from 'commander';
import { supplierStatuses } from '../vocabulary/supplier-status.ts';
import { commandGroup, givenOnly, operatorCommand, pathOf, REASON_OPTION } from './operator-command.ts';
import { printOutline, printTable } from './output.ts';

interface Supplier {
  code: string;
  name: string;
  status: string;
  document_root: string | null;
  reason: string | null;
}

interface SetOptions {
  name?: string;
  status?: string;
  documentRoot?: string;
  option?: Record<string, unknown>;
  reason?: string;
}

/** `supplier list|show|set`: import suppliers, their status and options. */
export function supplierCommand(): Command {
  return commandGroup('supplier', 'Import suppliers', [listCommand(), showCommand(), setCommand()]);
}

function listCommand(): Command {
  return operatorCommand({
    usage: 'list',
    description: 'List all import suppliers.',
    examples: ['supplier list', 'supplier list --json'],
    call: (client): Promise<Supplier[]> => client.call('GET', 'import-suppliers/'),
    show: (suppliers) =>
      printTable(
        suppliers,
        {
          CODE: (one) => one.code,
          NAME: (one) => one.name,
          STATUS: (one) => one.status,
          'DOCUMENT ROOT': (one) => one.document_root,
          REASON: (one) => one.reason,
        },
        'There are no import suppliers yet. Register one: npm run cli -- supplier set <code> --name <name>',
      ),
  });
}

function showCommand(): Command {
  return operatorCommand({
    usage: 'show <code>',
    description: 'Show one import supplier with its options.',
    examples: ['supplier show ACME'],
    call: (client, code: string): Promise<Supplier> => client.call('GET', `import-suppliers/${pathOf(code)}`),
    show: printOutline,
  });
}

function setCommand(): Command {
  return operatorCommand({
    usage: 'set <code>',
    description: 'Register an import supplier, or change the given settings of one.',
    examples: [
      'supplier set ACME --name "Acme Energy"',
      'supplier set ACME --status Paused --reason "database upgrade"',
      'supplier set ACME --option closed_value_sets=\'{"sales_channel": ["DIRECT"]}\'',
      'supplier set ACME --option open_value_sets=\'["term_type"]\' --reason "new product of this supplier"',
      'supplier set ACME --option industry_switch=false',
    ],
    options: (command) =>
      command
        .option('--name <name>', 'display name')
        .addOption(new Option('--status <status>', 'whether accounts are taken').choices(Object.keys(supplierStatuses)))
        .option('--document-root <address>', 'root of document paths; "" for none')
        .option('--option <name=json>', 'an option; null removes it; can be repeated', collectOption)
        .option(...REASON_OPTION),
    call: (client, code: string, options: SetOptions): Promise<Supplier> =>
      client.call(
        'PUT',
        `import-suppliers/${pathOf(code)}`,
        givenOnly({
          name: options.name,
          status: options.status,
          document_root: options.documentRoot,
          options: options.option,
          reason: options.reason,
        }),
      ),
    show: printOutline,
  });
}

function collectOption(text: string, sofar: Record<string, unknown> = {}): Record<string, unknown> {
  const [name, ...rest] = text.split('=');
  if (!name || rest.length === 0) throw new InvalidArgumentError('Write name=json, for example industry_switch=false.');
  try {
    return { ...sofar, [name]: JSON.parse(rest.join('=')) };
  } catch {
    throw new InvalidArgumentError(`The value of ${name} is not JSON; a text needs quotes: ${name}='"text"'.`);
  }
}

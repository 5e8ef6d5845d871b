import type { Command } from 'commander';
import type { ApiKeyView } from '../access/keys/api-key.schema.ts';
import { keyCreateCommand } from './key-create.command.ts';
import { commandGroup, operatorCommand, pathOf } from './operator-command.ts';
import { printLine, printTable } from './output.ts';

/** `key create|list|revoke`: API keys. */
export function keyCommand(): Command {
  return commandGroup('key', 'API keys', [
    keyCreateCommand(),
    operatorCommand({
      usage: 'list',
      description: 'List all keys, newest first, including revoked ones.',
      examples: ['key list'],
      call: (client): Promise<ApiKeyView[]> => client.call('GET', 'api-keys/'),
      show: (keys) =>
        printTable(
          keys,
          {
            ID: (one) => one.id,
            ORGANISATION: (one) => one.organisation,
            NAME: (one) => one.name,
            ROLE: (one) => (one.scope === 'all' ? one.role : `${one.role} (${one.scope})`),
            SUPPLIERS: (one) => one.import_suppliers.join(', '),
            'STARTS WITH': (one) => one.starts_with,
            CREATED: (one) => one.created_at,
            'LAST USED': (one) => one.last_used_at,
            EXPIRES: (one) => one.expires_at,
            REVOKED: (one) => one.revoked_at,
          },
          'There are no keys yet. Create one: npm run cli -- key create --role operator --organisation <name> --name <purpose>',
        ),
    }),
    operatorCommand({
      usage: 'revoke <id>',
      description: 'Revoke a key; its tokens end within a second.',
      examples: ['key revoke 0199a000-0000-7000-8000-000000000000'],
      call: (client, id: string): Promise<ApiKeyView> => client.call('DELETE', `api-keys/${pathOf(id)}`),
      show: (key) => printLine(`Key ${key.id} (${key.organisation}, ${key.name}) was revoked at ${key.revoked_at}.`),
    }),
  ]);
}

import type { Command } from 'commander';
import { givenOnly, operatorCommand } from './operator-command.ts';
import { printTable } from './output.ts';

interface AuditEntry {
  at: string;
  actor: { name: string };
  action: string;
  subject: string;
  reason: string | null;
}

interface AuditOptions {
  limit?: string;
  subject?: string;
  action?: string;
}

/** `audit`: who changed or read what, newest first. */
export function auditCommand(): Command {
  return operatorCommand({
    usage: 'audit',
    description: 'Show who changed or read what, newest first; --json has what it was before and after.',
    examples: ['audit', 'audit --subject import-suppliers/ACME', 'audit --action account.read --limit 1000 --json'],
    options: (command) =>
      command
        .option('--limit <entries>', 'maximum number of entries (default 100)')
        .option('--subject <path>', 'only changes of this, such as import-suppliers/ACME')
        .option('--action <name>', 'only this action, such as import_supplier.changed'),
    ask: (client, { limit, subject, action }: AuditOptions): Promise<AuditEntry[]> =>
      client.call(
        'GET',
        `audit/?${new URLSearchParams(givenOnly({ limit, subject, action }) as Record<string, string>)}`,
      ),
    show: (entries) =>
      printTable(
        entries,
        {
          AT: (one) => one.at,
          WHO: (one) => one.actor.name,
          ACTION: (one) => one.action,
          SUBJECT: (one) => one.subject,
          REASON: (one) => one.reason,
        },
        'Nothing of that kind was done yet.',
      ),
  });
}

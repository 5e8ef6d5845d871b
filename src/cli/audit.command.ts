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
    description: 'Show audit entries, newest first. --json includes the values before and after a change.',
    examples: ['audit', 'audit --subject import-suppliers/ACME', 'audit --action account.read --limit 1000 --json'],
    options: (command) =>
      command
        .option('--limit <entries>', 'maximum number of entries (default 100)')
        .option('--subject <path>', 'only this subject, such as import-suppliers/ACME')
        .option('--action <name>', 'only this action, such as import_supplier.changed'),
    call: (client, { limit, subject, action }: AuditOptions): Promise<AuditEntry[]> =>
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
        'There are no such entries.',
      ),
  });
}

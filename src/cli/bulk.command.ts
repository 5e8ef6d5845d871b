import { Option, type Command } from 'commander';
import { bulkActionKinds } from '../vocabulary/bulk-actions.ts';
import { claimDecisions } from '../vocabulary/switch-statuses.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import { bulkOptions, type BulkOptions, runBulkAction, showBulkAction } from './bulk-action.ts';
import type { CallSpec } from './operator-command.ts';
import type { CommandSpec, JsonOption } from './command.ts';
import { operatorGroup, pathOf, REQUIRED_REASON, table } from './operator-command.ts';
import { printJsonLines } from './output.ts';

type StartOptions = BulkOptions & { action: string; decision?: string; to?: string };

const steered = (verb: string, description: string): CallSpec => ({
  usage: `${verb} <id>`,
  description,
  examples: [`bulk ${verb} <id> --reason "the vendor fails again"`],
  options: [REQUIRED_REASON],
  route: `POST bulk-actions/<id>/${verb}/`,
  show: showBulkAction,
});

const start: CommandSpec = {
  usage: 'start <action>',
  description: 'Change all stuck work that matches, after a preview.',
  note: `Actions: ${membersOf(bulkActionKinds).join(', ')}.`,
  examples: [
    'bulk start retry_lookups --party enedis --reason "Enedis has recovered"',
    'bulk start decide --decision LEAVE --supplier ACME --reason "imported twice"',
    'bulk start skip --cause database_refuses_data --supplier ACME --reason "moved by hand"',
  ],
  options: [
    ...bulkOptions(true),
    new Option('--decision <decision>', 'for `decide`').choices(membersOf(claimDecisions)),
    new Option('--to <code>', 'for `assign`: the import supplier whose accounts have the numbers of the messages'),
  ],
  prints: { operation: 'GET /v1/operations/bulk-actions/<bulk>/' },
  act: async ({ action, decision, to, ...options }: StartOptions, connect) =>
    runBulkAction(await connect(), { action, decision, to_import_supplier: to }, options),
};

const results: CommandSpec = {
  usage: 'results <id>',
  description: 'Print the outcome of each item as NDJSON.',
  examples: ['bulk results <id>'],
  json: 'one JSON line per item (always the case)',
  prints: { operation: 'GET /v1/operations/bulk-actions/<bulk>/results/' },
  act: async ({ id }: JsonOption & { id: string }, connect) => {
    const connection = await connect();
    await printJsonLines(await connection.download(pathOf('/v1/operations/bulk-actions/<id>/results/', { id })));
  },
};

/** `bulk start|list|show|pause|resume|cancel|results`: changes of all stuck work that matches a filter. */
export const bulkCommand = (): Command =>
  operatorGroup('bulk', 'Changes of all stuck work that matches a filter', [
    start,
    {
      usage: 'list',
      description: 'List the newest bulk actions.',
      examples: ['bulk list'],
      route: 'GET bulk-actions/',
      show: ({ bulk_actions: actions }: { bulk_actions: object[] }) =>
        table(
          {
            ID: 'bulk_action_id',
            ACTION: 'action',
            STATUS: 'status',
            HANDLED: 'handled',
            MATCHED: 'matched',
            BY: 'requested_by',
            STARTED: 'created_at',
          },
          'There are no bulk actions yet.',
        )(actions),
    },
    {
      usage: 'show <id>',
      description: 'Show a bulk action with its progress.',
      examples: ['bulk show <id>'],
      route: 'GET bulk-actions/<id>/',
      show: showBulkAction,
    },
    steered('pause', 'Pause a bulk action after the current page of items.'),
    steered('resume', 'Resume a paused bulk action.'),
    steered('cancel', 'Cancel a bulk action. Handled items keep their outcomes.'),
    results,
  ]);

import { answeredInstant, answeredText, requiredInstant } from '../platform/validation/field-types.schema.ts';
import { Type, type Static } from 'typebox';
import type { RunKind } from '../../temporal.config.ts';

/** The item in examples. */
export const EXAMPLE_ID = 'Y3JlYXRlLWFjY291bnQvU1VQUExJRVJfRlIvSE9NRS0wMDAwNDcxMQ';

/** The cursor in examples. */
export const EXAMPLE_CURSOR = 'WyIyMDI2LTExLTIwVDE3OjAwOjAwLjAwMFoiLCJZM0psIl0';

/** An item of stuck work. */
const stuckSchema = Type.Object(
  {
    id: Type.String({ description: 'Stable while the item is listed.', examples: [EXAMPLE_ID] }),
    kind: Type.Unsafe<RunKind | 'market-message'>({ type: 'string', examples: ['create-account'] }),
    cause: Type.String({
      description:
        'The type of the last failure. Without a failure: `not_started`, `no_worker`, `paused` or `under_way`.',
      examples: ['database_refuses_data'],
    }),
    workflow_id: Type.String({
      description: 'Id of the run in Temporal; empty for a market message.',
      examples: ['create-account/SUPPLIER_FR/HOME-00004711'],
    }),
    accounts: Type.Array(Type.Object({ import_supplier: Type.String(), external_account_number: Type.String() })),
    network_operator: answeredText({
      description: 'The network operator whose lookups are stuck; otherwise null.',
      examples: [null],
    }),
    batch_id: answeredText({ description: 'The population batch; null for other work.' }),
    job_id: answeredText({ description: 'The import job; null for other work.' }),
    reconciliation_id: answeredText({ description: 'The reconciliation; null for other work.' }),
    withdrawal_id: answeredText({ description: 'The withdrawal; null for other work.' }),
    endpoint_id: answeredText({ description: 'The endpoint whose events are not delivered; null for other work.' }),
    message_id: answeredText({ description: 'The market message; null for other work.' }),
    waiting_since: requiredInstant(),
    attempt: Type.Integer({ description: 'Number of attempts so far; 0 without a run.', examples: [3] }),
    last_failure: Type.Unsafe<{ type: string; message: string } | null>({
      type: ['object', 'null'],
      required: ['type', 'message'],
      properties: { type: { type: 'string' }, message: { type: 'string' } },
      examples: [{ type: 'database_refuses_data', message: 'SQLSTATE 23514' }],
    }),
    next_attempt_at: answeredInstant({ examples: ['2026-11-20T17:05:00.000Z'] }),
    paused: Type.Boolean({ examples: [false] }),
    what_to_do: Type.String({ examples: ['Stage corrected data for the account, or mark it to skip.'] }),
  },
  { title: 'Stuck' },
);

const dueWorkMembers = {
  kinds: Type.Array(
    Type.Object({
      kind: Type.String({ examples: ['switch-supplier'] }),
      due: Type.Integer({ examples: [3] }),
      oldest_due_at: requiredInstant({ examples: ['2026-11-20T17:04:30.000Z'] }),
      oldest_age_seconds: Type.Integer({ examples: [30] }),
      late: Type.Boolean({
        description:
          'The work was due before the last two rounds of the dispatcher: no worker dispatches, or too much work is due.',
        examples: [false],
      }),
    }),
  ),
  dispatcher: Type.Object({
    holder: answeredText({
      description: 'Host and process id of the worker that dispatches scheduled work now; null between two rounds.',
      examples: ['worker-1/17'],
    }),
    held_since: answeredInstant({ examples: ['2026-11-20T17:04:58.000Z'] }),
    overdue: Type.Boolean({
      description: 'The holder has stopped or lost its connection; another worker takes over within seconds.',
      examples: [false],
    }),
    last_swept_at: answeredInstant({ examples: ['2026-11-20T17:04:28.000Z'] }),
  }),
  creation_slots: Type.Object({
    held: Type.Integer({ description: 'Slots of the concurrency limit in use.', examples: [2] }),
    oldest_taken_at: answeredInstant({ examples: ['2026-11-20T17:04:59.000Z'] }),
  }),
};

/** Scheduled work that is due, with its dispatcher. */
export type DueWorkView = Static<ReturnType<typeof dueWorkObject>>;

const dueWorkObject = () => Type.Object(dueWorkMembers);

/** Scheduled work that is due; null if it is not known. */
export const dueWorkSchema = Type.Unsafe<DueWorkView | null>({
  ...dueWorkObject(),
  type: ['object', 'null'],
  title: 'DueWork',
  description:
    'Scheduled work that is due, its dispatcher, and the slots in use; null while the database is unavailable.',
});

/** Numbers of items by cause. */
export const countsByCause = (documented: { description?: string } = {}) =>
  Type.Array(Type.Object({ cause: Type.String(), count: Type.Integer() }), {
    ...documented,
    examples: [[{ cause: 'database_refuses_data', count: 1 }]],
  });

/** A page of stuck work. */
export const stuckListSchema = Type.Object(
  {
    stuck: Type.Array(stuckSchema),
    complete: Type.Boolean({
      description: 'False if there is more stuck work than on this page and the previous ones.',
      examples: [true],
    }),
    next_cursor: answeredText({ description: 'Cursor of the next page; null on the last page.' }),
    total: Type.Integer({ description: 'Number of items that match, on all pages.', examples: [1] }),
    counts: countsByCause({ description: 'Number of items by cause, most frequent first.' }),
    counted_all: Type.Boolean({
      description:
        'False if there is more stuck work than is read at once: `total` and `counts` are then lower bounds.',
      examples: [true],
    }),
    due_work: dueWorkSchema,
  },
  { title: 'StuckList' },
);

export type StuckView = Static<typeof stuckSchema>;
export type StuckList = Static<typeof stuckListSchema>;

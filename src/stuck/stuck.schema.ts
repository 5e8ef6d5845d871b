import { requiredText, text, answeredText } from '../platform/validation/field-types.schema.ts';
import { Type, type Static } from 'typebox';
import type { RunKind } from '../../temporal.config.ts';

/** An item of stuck work. */
const stuckSchema = Type.Object(
  {
    id: Type.String({ description: 'Stable while the item is listed.' }),
    kind: Type.Unsafe<RunKind | 'market-message'>({ type: 'string' }),
    cause: Type.String({
      description:
        'The type of the last failure. Without a failure: `not_started`, `no_worker`, `paused` or `under_way`.',
    }),
    workflow_id: Type.String({ description: 'Id of the run in Temporal; empty for a market message.' }),
    accounts: Type.Array(Type.Object({ import_supplier: Type.String(), external_account_number: Type.String() })),
    network_operator: answeredText({ description: 'The network operator whose lookups are stuck; otherwise null.' }),
    batch_id: answeredText({ description: 'The population batch; null for other work.' }),
    job_id: answeredText({ description: 'The import job; null for other work.' }),
    reconciliation_id: answeredText({ description: 'The reconciliation; null for other work.' }),
    endpoint_id: answeredText({ description: 'The endpoint whose events are not delivered; null for other work.' }),
    message_id: answeredText({ description: 'The market message; null for other work.' }),
    waiting_since: Type.String({ format: 'date-time', minLength: 1 }),
    attempt: Type.Integer({ description: 'Number of attempts so far; 0 without a run.' }),
    last_failure: Type.Unsafe<{ type: string; message: string } | null>({
      type: ['object', 'null'],
      required: ['type', 'message'],
      properties: { type: { type: 'string' }, message: { type: 'string' } },
    }),
    next_attempt_at: answeredText({ format: 'date-time' }),
    paused: Type.Boolean(),
    what_to_do: Type.String(),
  },
  { title: 'Stuck' },
);

const dueWorkMembers = {
  kinds: Type.Array(
    Type.Object({
      kind: Type.String(),
      due: Type.Integer(),
      oldest_due_at: Type.String({ format: 'date-time', minLength: 1 }),
      oldest_age_seconds: Type.Integer(),
      late: Type.Boolean({
        description:
          'The work was due before the last two rounds of the dispatcher: no worker dispatches, or too much work is due.',
      }),
    }),
  ),
  dispatcher: Type.Object({
    holder: answeredText({
      description: 'Host and process id of the worker that dispatches scheduled work now; null between two rounds.',
    }),
    held_since: answeredText({ format: 'date-time' }),
    overdue: Type.Boolean({
      description: 'The holder has stopped or lost its connection; another worker takes over within seconds.',
    }),
    last_swept_at: answeredText({ format: 'date-time' }),
  }),
  creation_slots: Type.Object({
    held: Type.Integer({ description: 'Slots of the concurrency limit in use.' }),
    oldest_taken_at: answeredText({ format: 'date-time' }),
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

/** A page of stuck work. */
export const stuckListSchema = Type.Object(
  {
    stuck: Type.Array(stuckSchema),
    complete: Type.Boolean({
      description: 'False if there is more stuck work than on this page and the previous ones.',
    }),
    next_cursor: answeredText({ description: 'Cursor of the next page; null on the last page.' }),
    total: Type.Integer({ description: 'Number of items that match, on all pages.' }),
    counts: Type.Array(Type.Object({ cause: Type.String(), count: Type.Integer() }), {
      description: 'Number of items by cause, most frequent first.',
    }),
    counted_all: Type.Boolean({
      description:
        'False if there is more stuck work than is read at once: `total` and `counts` are then lower bounds.',
    }),
    due_work: dueWorkSchema,
  },
  { title: 'StuckList' },
);

export type StuckView = Static<typeof stuckSchema>;
export type StuckList = Static<typeof stuckListSchema>;

/** Body of `POST stuck/retry/`. */
export const retryCauseSchema = Type.Object({
  cause: requiredText(64, 'no-control-characters'),
  cursor: Type.Optional(text(1_000)),
});

export type RetryCause = Static<typeof retryCauseSchema>;

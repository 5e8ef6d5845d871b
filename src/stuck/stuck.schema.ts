import { requiredText, text, answeredText } from '../platform/validation/field-types.schema.ts';
import { Type, type Static } from 'typebox';
import type { RunKind } from '../../temporal.config.ts';

/** An item of pending work. */
const stuckSchema = Type.Object(
  {
    id: Type.String({ description: 'Stays the same for as long as it waits.' }),
    kind: Type.Unsafe<RunKind | 'market-message'>({ type: 'string' }),
    cause: Type.String({
      description:
        'What it is counted by: the type of its last failure, or why it has none (`not_started`, `no_worker`, `paused`, `under_way`).',
    }),
    workflow_id: Type.String({ description: 'Empty for a market message.' }),
    accounts: Type.Array(Type.Object({ import_supplier: Type.String(), external_account_number: Type.String() })),
    network_operator: answeredText({ description: 'Where it is about the lookups of an operator.' }),
    batch_id: answeredText({ description: 'Where it is about a batch of supply points.' }),
    job_id: answeredText({ description: 'Where it is an import job.' }),
    reconciliation_id: answeredText({ description: 'Where it is a reconciliation.' }),
    endpoint_id: answeredText({ description: 'Where it is about an endpoint that events are delivered to.' }),
    message_id: answeredText({ description: 'Where it is a market message.' }),
    waiting_since: Type.String({ format: 'date-time', minLength: 1 }),
    attempt: Type.Integer({ description: 'Attempts begun so far; 0 when its run is not there.' }),
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
        description: 'Two rounds have passed it by: no worker looks, or more is due than is started.',
      }),
    }),
  ),
  dispatcher: Type.Object({
    holder: answeredText({
      description: 'Host and process id of the worker that starts due work now; null between two rounds.',
    }),
    held_since: answeredText({ format: 'date-time' }),
    overdue: Type.Boolean({
      description: 'The holder is frozen, cut off or gone; another worker takes over within seconds.',
    }),
    last_swept_at: answeredText({ format: 'date-time' }),
  }),
  creation_slots: Type.Object({
    held: Type.Integer({ description: 'Slots of the concurrency limit that are held.' }),
    oldest_taken_at: answeredText({ format: 'date-time' }),
  }),
};

/** The view of due work. */
export type DueWorkView = Static<ReturnType<typeof dueWorkObject>>;

const dueWorkObject = () => Type.Object(dueWorkMembers);

/** Due work; null if it is not known. */
export const dueWorkSchema = Type.Unsafe<DueWorkView | null>({
  ...dueWorkObject(),
  type: ['object', 'null'],
  title: 'DueWork',
  description: 'Work whose time has come, who starts it, and what is held meanwhile; null while the database is away.',
});

/** A page of pending work. */
export const stuckListSchema = Type.Object(
  {
    stuck: Type.Array(stuckSchema),
    complete: Type.Boolean({ description: 'False when more is pending than this page and those before it show.' }),
    next_cursor: answeredText({ description: 'For the next page; null on the last.' }),
    total: Type.Integer({ description: 'All that fits, on whichever page.' }),
    counts: Type.Array(Type.Object({ cause: Type.String(), count: Type.Integer() }), {
      description: 'The same by cause, the most frequent first.',
    }),
    counted_all: Type.Boolean({
      description:
        'False when more is pending than is read at once: `total` and `counts` are then the least that there is.',
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

import { type Static, Type } from 'typebox';
import {
  answeredInstant,
  answeredText,
  integer,
  requiredChoice,
  requiredInstant,
  requiredText,
} from '../platform/validation/field-types.schema.ts';
import { bulkActionKinds, bulkActionStatuses, bulkOutcomes, bulkOutcomeSentences } from '../vocabulary/bulk-actions.ts';
import { claimDecisions } from '../vocabulary/switch-statuses.ts';

const SECONDS_MAX = 31_536_000;
/** Items of a preview. */
export const SAMPLE_SIZE = 5;

const filterMembers = {
  cause: Type.Optional(requiredText(64, 'no-control-characters')),
  party: Type.Optional(requiredText(64, 'no-control-characters')),
  import_supplier: Type.Optional(requiredText(32, 'no-control-characters')),
  wave_id: Type.Optional(requiredText(36, 'no-control-characters')),
};

/** Body of `POST bulk-actions/`. */
export const createBulkActionSchema = Type.Object({
  action: requiredChoice(bulkActionKinds),
  filter: Type.Optional(
    Type.Object(
      { ...filterMembers, older_than_seconds: Type.Optional(integer(0, SECONDS_MAX)) },
      { additionalProperties: false },
    ),
  ),
  decision: Type.Optional(requiredChoice(claimDecisions, { description: 'Only for `decide`.' })),
  to_import_supplier: Type.Optional({
    ...requiredText(32, 'no-control-characters'),
    description:
      'Only for `assign`: each message is assigned to the account of this supplier with the same external number.',
  }),
  reason: requiredText(512),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only counts the matching items.' })),
});
export type CreateBulkAction = Static<typeof createBulkActionSchema>;

/** The parameters of an action beside its filter. */
export type BulkParameters = Pick<CreateBulkAction, 'decision' | 'to_import_supplier'>;

/** The filter of an action as it is stored: with the time since when items are stuck at least. */
export interface StoredFilter {
  cause?: string | undefined;
  party?: string | undefined;
  importSupplier?: string | undefined;
  waveId?: string | undefined;
  before?: string | undefined;
}

/** Body of `pause`, `resume` and `cancel`. */
export const steerBulkActionSchema = Type.Object({ reason: requiredText(512) });
export type SteerBulkAction = Static<typeof steerBulkActionSchema>;

const EXAMPLE = '019ac3f2-c4d7-7a2e-8f3c-6b8d0e2f4a7c';

/** The path parameter of a bulk action. */
export const bulkActionPath = {
  bulk: { description: 'The `bulk_action_id` from the response to its start.', example: EXAMPLE },
};

const bulkActionId = () => Type.String({ examples: [EXAMPLE] });

/** The response to `dry_run`. */
export const bulkPreview = Type.Object(
  {
    matched: Type.Integer({ description: 'Items that match now.', examples: [1_353] }),
    oldest_at: answeredInstant(),
    sample: Type.Array(
      Type.Object(
        {
          item: Type.String({ examples: ['verify-instruction/ACME/A-1001/STRIPE/SEPA/8f0c'] }),
          cause: Type.String({ examples: ['vendor_unavailable'] }),
          party: Type.String({ examples: ['STRIPE'] }),
          import_supplier: answeredText(),
          external_account_number: answeredText(),
          stuck_since: requiredInstant(),
        },
        { title: 'BulkSample' },
      ),
      { description: `The oldest items, at most ${SAMPLE_SIZE}.` },
    ),
  },
  { title: 'BulkPreview' },
);
export type BulkPreview = Static<typeof bulkPreview>;

const outcomes = Type.Object(
  Object.fromEntries(Object.keys(bulkOutcomes).map((outcome) => [outcome, Type.Integer()])) as Record<
    keyof typeof bulkOutcomes,
    ReturnType<typeof Type.Integer>
  >,
  {
    title: 'BulkOutcomes',
    description: Object.entries(bulkOutcomeSentences)
      .map(([outcome, sentence]) => `\`${outcome}\`: ${sentence}`)
      .join(' '),
    examples: [{ done: 1_340, in_progress: 3, unchanged: 0, gone: 10, refused: 0 }],
  },
);

/** A bulk action with its progress. */
export const bulkActionView = Type.Object(
  {
    bulk_action_id: bulkActionId(),
    action: requiredChoice(bulkActionKinds, { examples: ['retry'] }),
    filter: Type.Object(
      {
        cause: answeredText({ examples: ['vendor_unavailable'] }),
        party: answeredText(),
        import_supplier: answeredText(),
        wave_id: answeredText(),
        stuck_before: requiredInstant({
          description: 'Items that got stuck later are not included: the start, or earlier with `older_than_seconds`.',
        }),
      },
      { title: 'BulkFilter' },
    ),
    decision: answeredText(),
    to_import_supplier: answeredText(),
    status: requiredChoice(bulkActionStatuses, { examples: ['RUNNING'] }),
    requested_by: Type.String({ examples: ['Migration desk'] }),
    reason: Type.String({ examples: ['The vendor has recovered.'] }),
    matched: Type.Integer({ description: 'Items that matched at the start.', examples: [1_353] }),
    handled: Type.Integer({
      description: 'Items with an outcome. Items that are completed meanwhile are not handled.',
      examples: [700],
    }),
    outcomes,
    created_at: requiredInstant(),
    ended_at: answeredInstant(),
    workflow_id: Type.String({ examples: [`bulk/${EXAMPLE}`] }),
  },
  { title: 'BulkAction' },
);
export type BulkActionView = Static<typeof bulkActionView>;

/** The response of a list. */
export const bulkActionList = Type.Object({ bulk_actions: Type.Array(bulkActionView) }, { title: 'BulkActionList' });

/** A line of the results. */
export const bulkResult = Type.Object(
  {
    item: Type.String({ examples: ['verify-instruction/ACME/A-1001/STRIPE/SEPA/8f0c'] }),
    import_supplier: answeredText(),
    external_account_number: answeredText(),
    outcome: requiredChoice(bulkOutcomes, { examples: ['done'] }),
    code: answeredText({ description: 'The code of the rejection; otherwise null.' }),
    handled_at: requiredInstant(),
  },
  { title: 'BulkResult' },
);

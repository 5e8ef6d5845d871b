import { type Static, Type } from 'typebox';
import {
  answeredInstant,
  answeredText,
  requiredChoice,
  requiredInstant,
  requiredText,
} from '../platform/validation/field-types.schema.ts';
import {
  businessOutcomes,
  businessOutcomeSentences,
  withdrawalObstacles,
  withdrawalStatuses,
} from '../vocabulary/withdrawals.ts';

/** Body of a withdrawal. */
export const createWithdrawalSchema = Type.Object({
  reason: requiredText(),
  dry_run: Type.Optional(Type.Boolean()),
  withdraw_businesses: Type.Optional(
    Type.Boolean({
      description:
        'Also delete the businesses, with their contracts, that no other account uses. By default they are kept.',
    }),
  ),
});
export type CreateWithdrawal = Static<typeof createWithdrawalSchema>;

/** The withdrawal that examples show. */
const EXAMPLE_WITHDRAWAL = '019ac3f2-b1d4-7a2e-8f3c-6b8d0e2f4a7c';

/** The path parameter of a withdrawal. */
export const withdrawalPath = {
  withdrawal: { description: 'The `withdrawal_id` from the response to its start.', example: EXAMPLE_WITHDRAWAL },
};

const withdrawalId = () => Type.String({ examples: [EXAMPLE_WITHDRAWAL] });

/** Accounts that cannot be withdrawn, by reason. */
const obstacles = Type.Array(
  Type.Object(
    {
      code: requiredChoice(withdrawalObstacles, { examples: ['switch_requested'] }),
      accounts: Type.Integer({ examples: [3] }),
      examples: Type.Array(Type.String(), {
        description: 'External numbers of the first accounts, at most 20.',
        examples: [['HOME-00004711']],
      }),
      reason: Type.String({
        examples: ['The switch of a supply point was requested from the industry switch and is not rejected.'],
      }),
      what_to_do: Type.String({ examples: ['Wait until the industry switch rejects it.'] }),
    },
    { title: 'WithdrawalObstacle' },
  ),
  { description: 'An account with several obstacles counts for each of them.' },
);

/** The response to `dry_run`. */
export const withdrawalPreview = Type.Object(
  {
    can_be_withdrawn: Type.Integer({ description: 'Accounts without an obstacle.', examples: [12_397] }),
    kept: Type.Integer({ description: 'Accounts with an obstacle.', examples: [3] }),
    obstacles,
    businesses: Type.Object(
      {
        can_be_withdrawn: Type.Integer({
          description:
            'Those that no other account, created or staged, uses. They are kept without `withdraw_businesses`.',
          examples: [40],
        }),
        kept: Type.Integer({ examples: [2] }),
      },
      { title: 'PreviewedBusinesses', description: 'The businesses whose contracts the withdrawn accounts have.' },
    ),
  },
  { title: 'WithdrawalPreview' },
);
export type WithdrawalPreview = Static<typeof withdrawalPreview>;

/** The response to a start. */
export const startedWithdrawal = Type.Object(
  { withdrawal_id: withdrawalId(), status: requiredChoice(withdrawalStatuses, { examples: ['RUNNING'] }) },
  { title: 'StartedWithdrawal' },
);

/** A withdrawal with its receipt. */
export const withdrawalView = Type.Object(
  {
    withdrawal_id: withdrawalId(),
    import_supplier: Type.String(),
    external_account_number: answeredText({ description: 'Null unless one account is withdrawn.' }),
    job_id: answeredText({
      description: 'Null unless a job is withdrawn.',
      examples: ['019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f'],
    }),
    wave_id: answeredText({ description: 'Null unless a wave is withdrawn.' }),
    status: requiredChoice(withdrawalStatuses, { examples: ['COMPLETED'] }),
    requested_by: Type.String({
      description: 'Name of the key or person; for suppliers `operators` instead of the name of an operator.',
      examples: ['Migration desk'],
    }),
    reason: Type.String({ examples: ['The file was of the wrong month.'] }),
    withdrawn: Type.Integer({ description: 'Accounts that are staged again.', examples: [12_397] }),
    kept: Type.Integer({ description: 'Accounts with an obstacle, which have not changed.', examples: [3] }),
    obstacles,
    withdraw_businesses: Type.Boolean({
      description: 'Whether businesses that no other account uses are deleted.',
      examples: [true],
    }),
    businesses: Type.Array(
      Type.Object(
        {
          outcome: requiredChoice(businessOutcomes, { examples: ['withdrawn'] }),
          businesses: Type.Integer({ examples: [40] }),
          examples: Type.Array(Type.String(), {
            description: 'Identifiers of the first businesses, at most 20.',
            examples: [['BIZ-0042']],
          }),
          description: Type.String({ examples: [businessOutcomeSentences.withdrawn] }),
        },
        { title: 'WithdrawalBusinesses' },
      ),
      { description: 'The businesses whose contracts the withdrawn accounts had, after the last account.' },
    ),
    deleted_rows: Type.Array(
      Type.Object(
        { table: Type.String({ examples: ['customer'] }), rows: Type.Integer({ examples: [14_020] }) },
        { title: 'DeletedRows' },
      ),
      { description: 'The receipt: the number of deleted rows by table.' },
    ),
    workflow_id: Type.String({ examples: [`withdraw/${EXAMPLE_WITHDRAWAL}`] }),
    created_at: requiredInstant(),
    ended_at: answeredInstant({ description: 'Null while it is running.', examples: ['2026-11-02T21:19:40.000Z'] }),
  },
  { title: 'Withdrawal' },
);
export type WithdrawalView = Static<typeof withdrawalView>;

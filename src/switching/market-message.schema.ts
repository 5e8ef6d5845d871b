import { Type, type Static } from 'typebox';
import {
  answeredText,
  requiredChoice,
  requiredInstant,
  requiredText,
  text,
} from '../platform/validation/field-types.schema.ts';
import { claimDecisions, marketOutcomes, switchStatuses, messageStatuses } from '../vocabulary/switch-statuses.ts';

/** The message that examples show. */
export const EXAMPLE_MESSAGE = 'ENEDIS-2026-11-21-000042';
/** The id of a message. */
export const messageId = () => Type.String({ examples: [EXAMPLE_MESSAGE] });
/** The supply point that examples show. */
export const EXAMPLE_POINT = '25012345678901';

/** Most messages in one request. */
export const MESSAGES_MAX = 1_000;

/** One message of `POST market-messages/`. Without a point it applies to all points of the account. */
export const marketMessageSchema = Type.Object({
  message_id: requiredText(128, 'no-control-characters'),
  import_supplier: requiredText(32, 'no-control-characters'),
  external_account_number: requiredText(128, 'no-control-characters'),
  supply_point_identifier: Type.Optional(text(64, 'no-control-characters')),
  outcome: requiredChoice(marketOutcomes),
  occurred_at: Type.String({ format: 'date-time', minLength: 1 }),
  reason: Type.Optional(text(1_000)),
});

export type MarketMessageSent = Static<typeof marketMessageSchema>;

/** The result of a sent message. */
export const messageResult = Type.Object({ message_id: messageId(), status: requiredChoice(messageStatuses) });
export type MessageResult = Static<typeof messageResult>;

/** Body of `PUT account-import-processes/<supplier>/<external>/switch-status/`. PENDING requests the switch again. */
export const switchStatusSchema = Type.Object({
  status: requiredChoice(switchStatuses),
  supply_point_identifier: Type.Optional(text(64, 'no-control-characters')),
  reason: requiredText(1_000),
});

export type SwitchStatusSent = Static<typeof switchStatusSchema>;

/** Body of `PUT account-import-processes/<supplier>/<external>/supply-point-claim/`. Without a point it decides all held points. */
export const claimDecisionSchema = Type.Object({
  decision: requiredChoice(claimDecisions),
  supply_point_identifier: Type.Optional(text(64, 'no-control-characters')),
  reason: requiredText(1_000),
});

export type ClaimDecisionSent = Static<typeof claimDecisionSchema>;

/** Body of `DELETE market-messages/<id>/`. */
export const dismissalSchema = Type.Object({ reason: requiredText(1_000) });

export type Dismissal = Static<typeof dismissalSchema>;

/** Body of `POST market-messages/<id>/assign/`. Without a point the message applies to all points of the account. */
export const assignmentSchema = Type.Object({
  import_supplier: requiredText(32, 'no-control-characters'),
  external_account_number: requiredText(128, 'no-control-characters'),
  supply_point_identifier: Type.Optional(text(64, 'no-control-characters')),
  reason: requiredText(1_000),
});

export type Assignment = Static<typeof assignmentSchema>;

/** Why a message is unmatched. */
export type UnmatchedKind = 'fits-nothing' | 'unknown-account' | 'unknown-point';

export const unmatchedKinds = ['fits-nothing', 'unknown-account', 'unknown-point'] as const satisfies UnmatchedKind[];

/** Whether a message has no effect, because it does not fit the status, or its account or point does not exist. */
export function isUnmatched({ effect }: { effect: string }): boolean {
  return unmatchedKinds.some((kind) => kind === effect);
}

/** A message as operators see it. */
export const messageView = Type.Object(
  {
    message_id: messageId(),
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    supply_point_identifier: answeredText({
      description: 'Null if the message applies to all points of the account.',
      examples: [EXAMPLE_POINT],
    }),
    outcome: answeredText({ examples: ['COMPLETED'] }),
    occurred_at: requiredInstant({ examples: ['2026-11-21T06:00:00.000Z'] }),
    received_at: requiredInstant({ examples: ['2026-11-21T06:00:02.000Z'] }),
    reason: answeredText(),
    effect: Type.String({
      description:
        '`fits-nothing`, `unknown-account` and `unknown-point` wait for an operator. `set-aside` was dismissed or assigned to an account.',
      examples: ['fits-nothing'],
    }),
    effect_detail: answeredText({ examples: ['COMPLETED does not follow PENDING.'] }),
  },
  { title: 'MarketMessage' },
);
export type MessageView = Static<typeof messageView>;

/** The effect of a dismissed message in the API. */
export const DISMISSED_EFFECT = 'set-aside';

/** The switch of an account as operators see it. */
export const switchView = Type.Object(
  {
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    service_account_number: Type.String(),
    status: requiredChoice(switchStatuses, { examples: ['PENDING'] }),
    supply_points: Type.Array(
      Type.Object({
        identifier: Type.String({ examples: [EXAMPLE_POINT] }),
        supply_type: Type.String({ examples: ['ELECTRICITY'] }),
        status: requiredChoice(switchStatuses, { examples: ['PENDING'] }),
        held: Type.Boolean({
          description: 'Another account also has it, and its switch is not requested until an operator has decided.',
          examples: [false],
        }),
      }),
    ),
  },
  { title: 'SwitchOfAccount' },
);
export type SwitchView = Static<typeof switchView>;

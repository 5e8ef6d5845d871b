import { Type, type Static } from 'typebox';
import { requiredChoice, requiredText, text } from '../platform/validation/field-types.schema.ts';
import { claimDecisions, marketOutcomes, switchStatuses, type SwitchStatus } from '../vocabulary/switch-statuses.ts';

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

/** The result of a sent message. MESSAGE_DIFFERS: another message has the same id, and nothing was stored. */
export interface MessageResult {
  message_id: string;
  status: 'MESSAGE_STORED' | 'MESSAGE_ALREADY_KNOWN' | 'MESSAGE_DIFFERS';
}

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

/** Body of `POST market-messages/<id>/assign/`. Without a point it then applies to all points of the account. */
export const assignmentSchema = Type.Object({
  import_supplier: requiredText(32, 'no-control-characters'),
  external_account_number: requiredText(128, 'no-control-characters'),
  supply_point_identifier: Type.Optional(text(64, 'no-control-characters')),
  reason: requiredText(1_000),
});

export type Assignment = Static<typeof assignmentSchema>;

/** Why a message has no effect. */
export type UnmatchedKind = 'fits-nothing' | 'unknown-account' | 'unknown-point';

export const unmatchedKinds = ['fits-nothing', 'unknown-account', 'unknown-point'] as const satisfies UnmatchedKind[];

/** A message as operators see it. */
export interface MessageView {
  message_id: string;
  import_supplier: string;
  external_account_number: string;
  supply_point_identifier: string | null;
  outcome: string | null;
  occurred_at: string;
  received_at: string;
  reason: string | null;
  /** The kind of an unmatched message; otherwise its effect. */
  effect: string;
  effect_detail: string | null;
}

/** The effect of a dismissed message in the API. */
export const DISMISSED_EFFECT = 'set-aside';

/** The switch of an account as operators see it. */
export interface SwitchView {
  import_supplier: string;
  external_account_number: string;
  service_account_number: string;
  status: SwitchStatus;
  /** `held`: another account also has the point, and an operator must decide. */
  supply_points: { identifier: string; supply_type: string; status: SwitchStatus; held: boolean }[];
}

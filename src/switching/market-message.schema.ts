import { Type, type Static } from 'typebox';
import { requiredChoice, requiredText, text } from '../platform/validation/field-types.schema.ts';
import { claimDecisions, marketOutcomes, switchStatuses, type SwitchStatus } from '../vocabulary/switch-statuses.ts';

/** Most messages in one request. */
export const MESSAGES_MAX = 1_000;

/** One message of `POST market-messages/`. Without a point it is meant for all points of the account. */
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

/** What became of a message that was sent. MESSAGE_DIFFERS: its id is that of another message, and nothing was stored. */
export interface MessageResult {
  message_id: string;
  status: 'MESSAGE_STORED' | 'MESSAGE_ALREADY_KNOWN' | 'MESSAGE_DIFFERS';
}

/** Body of `PUT account-import-processes/<supplier>/<external>/switch-status/`. PENDING asks the network operator again. */
export const switchStatusSchema = Type.Object({
  status: requiredChoice(switchStatuses),
  supply_point_identifier: Type.Optional(text(64, 'no-control-characters')),
  reason: requiredText(1_000),
});

export type SwitchStatusSent = Static<typeof switchStatusSchema>;

/** Body of `PUT account-import-processes/<supplier>/<external>/supply-point-claim/`. Without a point it decides all that are held. */
export const claimDecisionSchema = Type.Object({
  decision: requiredChoice(claimDecisions),
  supply_point_identifier: Type.Optional(text(64, 'no-control-characters')),
  reason: requiredText(1_000),
});

export type ClaimDecisionSent = Static<typeof claimDecisionSchema>;

/** Body of `DELETE market-messages/<id>/`. */
export const dismissalSchema = Type.Object({ reason: requiredText(1_000) });

export type Dismissal = Static<typeof dismissalSchema>;

/** Body of `POST market-messages/<id>/assign/`. Without a point it is then meant for all points of the account. */
export const assignmentSchema = Type.Object({
  import_supplier: requiredText(32, 'no-control-characters'),
  external_account_number: requiredText(128, 'no-control-characters'),
  supply_point_identifier: Type.Optional(text(64, 'no-control-characters')),
  reason: requiredText(1_000),
});

export type Assignment = Static<typeof assignmentSchema>;

/** Why a message moves nothing. */
export type UnmatchedKind = 'fits-nothing' | 'unknown-account' | 'unknown-point';

/** Why messages of a list move nothing. */
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
  /** Of one that moves nothing its kind; else what it did. */
  effect: string;
  effect_detail: string | null;
}

/** How the API shows a message that was dismissed. */
export const DISMISSED_EFFECT = 'set-aside';

/** The switch of an account as operators see it. */
export interface SwitchView {
  import_supplier: string;
  external_account_number: string;
  service_account_number: string;
  status: SwitchStatus;
  /** `held`: it stands on another account too, and an operator has to decide. */
  supply_points: { identifier: string; supply_type: string; status: SwitchStatus; held: boolean }[];
}

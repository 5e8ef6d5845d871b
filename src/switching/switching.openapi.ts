import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import { switchStatuses } from '../vocabulary/switch-statuses.ts';
import {
  claimDecisionSchema,
  marketMessageSchema,
  MESSAGES_MAX,
  DISMISSED_EFFECT,
  dismissalSchema,
  switchStatusSchema,
} from './market-message.schema.ts';

const messageExample = {
  message_id: 'ENEDIS-2026-11-21-000042',
  import_supplier: 'SUPPLIER_FR',
  external_account_number: 'HOME-00004711',
  supply_point_identifier: '25012345678901',
  outcome: 'COMPLETED',
  occurred_at: '2026-11-21T06:00:00Z',
};

/** `POST market-messages/`. */
export const receiveMarketMessagesOpenApi: RouteOpenApi = {
  operationId: 'receiveMarketMessages',
  tag: 'Operations',
  summary: 'Receive market messages about switches',
  description: `A list of at most ${MESSAGES_MAX} messages; a single message without a list is accepted too. If one message is invalid, none is stored. A message is identified by its id. A message for an unknown account or point, or one that does not fit the status, is stored and listed under \`stuck\`.`,
  request: marketMessageSchema,
  requestListMax: MESSAGES_MAX,
  requestExamples: { 'one message': [messageExample] },
  replies: {
    200: {
      description: 'The result of each message, in the order of the request.',
      schema: Type.Object(
        {
          results: Type.Array(
            Type.Object({
              message_id: Type.String(),
              status: Type.Unsafe<string>({
                type: 'string',
                minLength: 1,
                enum: ['MESSAGE_STORED', 'MESSAGE_ALREADY_KNOWN', 'MESSAGE_DIFFERS'],
              }),
            }),
          ),
        },
        { title: 'ReceivedMessages' },
      ),
      example: { results: [{ message_id: messageExample.message_id, status: 'MESSAGE_STORED' }] },
    },
  },
  refusals: ['validation_failed'],
};

const status = () => Type.Unsafe<string>({ type: 'string', minLength: 1, enum: membersOf(switchStatuses) });

const ACCOUNT_PATH = {
  supplier: { description: 'Code of the import supplier.', example: 'SUPPLIER_FR' },
  external: { description: 'Number of the account in the external system.', example: 'HOME-00004711' },
};

/** The switch of an account. */
export const switchOfAccount = Type.Object(
  {
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    service_account_number: Type.String(),
    status: status(),
    supply_points: Type.Array(
      Type.Object({
        identifier: Type.String(),
        supply_type: Type.String(),
        status: status(),
        held: Type.Boolean({
          description: 'Another account also has it, and its switch is not requested until an operator has decided.',
        }),
      }),
    ),
  },
  { title: 'SwitchOfAccount' },
);

/** An example of it. */
export const switchExample = {
  import_supplier: 'SUPPLIER_FR',
  external_account_number: 'HOME-00004711',
  service_account_number: 'A-7KQ2M9XDT',
  status: 'PENDING',
  supply_points: [{ identifier: '25012345678901', supply_type: 'ELECTRICITY', status: 'PENDING', held: false }],
};

/** `PUT account-import-processes/<supplier>/<external>/switch-status/`. */
export const putSwitchStatusOpenApi: RouteOpenApi = {
  operationId: 'putSwitchStatus',
  tag: 'Operations',
  summary: 'Set the switch of an account by hand',
  description:
    'For all points, or for the named one. `PENDING` requests the switch again. It dismisses the unmatched messages of the account.',
  path: ACCOUNT_PATH,
  request: switchStatusSchema,
  rules: { supply_point_identifier: ['supply_point_not_found'] },
  requestExamples: { 'send again': { status: 'PENDING', reason: 'The customer has signed now' } },
  replies: { 200: { description: 'The switch of the account.', schema: switchOfAccount, example: switchExample } },
  refusals: ['validation_failed', 'account_not_found'],
};

/** `PUT account-import-processes/<supplier>/<external>/supply-point-claim/`. */
export const decideClaimOpenApi: RouteOpenApi = {
  operationId: 'decideSupplyPointClaim',
  tag: 'Operations',
  summary: 'Decide about a supply point that another account also has',
  description:
    'For all held points of the account, or for the named one. `GO_ON`: the switch is requested when it is due. `LEAVE`: the point stays with the other account, and its switch here is rejected.',
  page: 'docs/operators/when-something-waits.md#claims',
  path: ACCOUNT_PATH,
  request: claimDecisionSchema,
  requestExamples: {
    'go on': { decision: 'GO_ON', reason: 'The former customer has moved out' },
    'leave it': { decision: 'LEAVE', supply_point_identifier: '25012345678901', reason: 'Imported twice' },
  },
  replies: { 200: { description: 'The switch of the account.', schema: switchOfAccount, example: switchExample } },
  refusals: ['validation_failed', 'account_not_found', 'not_found'],
};

/** `DELETE market-messages/<id>/`. */
export const dismissMessageOpenApi: RouteOpenApi = {
  operationId: 'setMarketMessageAside',
  tag: 'Operations',
  summary: 'Dismiss an unmatched message',
  path: { id: { description: 'Id of the message.', example: messageExample.message_id } },
  request: dismissalSchema,
  requestExamples: { 'with a reason': { reason: 'Meant for another supplier' } },
  replies: {
    200: {
      description: 'The message is dismissed.',
      schema: Type.Object(
        {
          message_id: Type.String(),
          effect: Type.Unsafe<string>({ type: 'string', minLength: 1, enum: [DISMISSED_EFFECT] }),
        },
        { title: 'MessageSetAside' },
      ),
      example: { message_id: messageExample.message_id, effect: DISMISSED_EFFECT },
    },
  },
  refusals: ['validation_failed', 'not_found'],
};

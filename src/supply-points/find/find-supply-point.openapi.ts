import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText } from '../../platform/validation/field-types.schema.ts';
import { facts, networkOperatorPath } from '../supply-points.openapi.ts';

const lookupReply = Type.Object({
  customer_authorisation: Type.Boolean(),
  state: Type.String({ description: 'pending, imported or errored.' }),
  errored_reason: answeredText(),
  tries: Type.Integer(),
  last_failure: answeredText(),
  next_attempt_at: answeredText({ format: 'date-time' }),
  ended_at: answeredText({ format: 'date-time' }),
});

/** `GET supply-points/<operator>/<identifier>/`. */
export const findSupplyPointOpenApi: RouteOpenApi = {
  operationId: 'findSupplyPoint',
  tag: 'Operations',
  summary: 'See what was found for one supply point',
  description: 'Each read is noted in the audit.',
  page: 'docs/operators/suppliers-and-options.md#what-is-stored-of-an-account',
  path: { ...networkOperatorPath, identifier: { description: 'PRM or PCE.', example: '25014987360042' } },
  replies: {
    200: {
      description: 'What was found, the lookups, and the accounts that the point is on.',
      schema: Type.Object(
        {
          network_operator: Type.String(),
          identifier: Type.String(),
          facts: facts(),
          source: answeredText(),
          looked_up_at: answeredText({ format: 'date-time' }),
          with_customer_authorisation: Type.Unsafe<boolean | null>({
            type: ['boolean', 'null'],
            description: 'Whether the network operator was told of an authorisation when it gave these facts.',
          }),
          look_ups: Type.Array(lookupReply),
          accounts: Type.Array(
            Type.Object({
              import_supplier: Type.String(),
              external_account_number: Type.String(),
              service_account_number: Type.String(),
            }),
          ),
        },
        { title: 'LookedUpSupplyPoint' },
      ),
      example: {
        network_operator: 'enedis',
        identifier: '25014987360042',
        facts: { segment: 'C5', subscribed_power: '9 kVA' },
        source: 'enedis-sge',
        looked_up_at: '2026-11-20T17:00:11.000Z',
        with_customer_authorisation: true,
        look_ups: [
          {
            customer_authorisation: true,
            state: 'imported',
            errored_reason: null,
            tries: 0,
            last_failure: null,
            next_attempt_at: null,
            ended_at: '2026-11-20T17:00:11.000Z',
          },
        ],
        accounts: [
          {
            import_supplier: 'SUPPLIER_FR',
            external_account_number: 'HOME-00004711',
            service_account_number: 'A-7KQ2M9XDT',
          },
        ],
      },
    },
  },
  refusals: ['not_found'],
};

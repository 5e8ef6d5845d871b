import { limitParameter } from '../../platform/http/query-parameters.ts';
import { type Static, Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredInstant, answeredText, requiredInstant } from '../../platform/validation/field-types.schema.ts';
import { batchHead, batchProgress, EXAMPLE_BATCH, facts, networkOperatorPath } from '../supply-points.openapi.ts';
import { idCursor } from '../../platform/http/newest-page.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { batchStatuses } from '../populate/population-batch.rules.ts';

/** `GET supply-point/populate/`. */
export const listBatchesOpenApi: RouteOpenApi = {
  operationId: 'listPopulationBatches',
  tag: 'Supply points',
  summary: 'List the newest batches of supply points',
  description:
    'The batches of your organization whose import suppliers your key may all use, newest first. Use it to find a batch whose response was lost.',
  page: 'docs/suppliers/supply-points.md',
  query: {
    limit: limitParameter('Batches per page, 20 by default; the Link header leads to the next page.', 20, 100),
    cursor: {
      description: 'Start of the page, from the Link header of the previous page.',
      example: EXAMPLE_BATCH,
      schema: idCursor,
    },
  },
  replies: {
    200: {
      description: 'The batches, without their identifiers.',
      hasLink: true,
      schema: Type.Array(
        Type.Object(
          {
            ...batchHead,
            counts: batchProgress.counts,
            created_at: batchProgress.created_at,
            ended_at: batchProgress.ended_at,
          },
          { title: 'ListedPopulationBatch' },
        ),
      ),
      example: [
        {
          status: 'COMPLETED',
          counts: { imported: { prm_ids: 2 }, pending: { prm_ids: 0 } },
          ended_at: '2026-11-20T17:00:12.000Z',
        },
      ],
    },
  },
};

const batchInList = Type.Object({ ...batchHead, ...batchProgress }, { title: 'PopulationBatchInList' });
const batchPage = Type.Object(
  { batches: Type.Array(batchInList), next_cursor: answeredText() },
  { title: 'PopulationBatches' },
);

/** A batch in a list for operators. */
export type BatchView = Static<typeof batchInList>;
/** A page of batches. */
export type BatchPage = Static<typeof batchPage>;

/** `GET population-batches/`. */
export const listBatchesForOperatorOpenApi: RouteOpenApi = {
  operationId: 'listPopulationBatchesAsOperator',
  summary: 'List batches of supply points',
  description: 'Of all organizations, newest first, 50 per page.',
  page: 'docs/operators/suppliers-and-options.md#stored-data-of-an-account',
  query: {
    status: {
      description: 'Only batches of this status.',
      example: 'IN_PROGRESS',
      schema: { type: 'string', enum: [...batchStatuses] },
    },
    import_supplier: { description: 'Code of an import supplier.', example: 'SUPPLIER_FR' },
    cursor: { description: '`next_cursor` of the previous page.', example: EXAMPLE_BATCH, schema: idCursor },
  },
  replies: { 200: { description: 'A page of batches, without their identifiers.', schema: batchPage } },
};

const deferredLookup = Type.Object({
  identifier: Type.String({ examples: ['25014987360059'] }),
  customer_authorisation: Type.Boolean({ examples: [true] }),
  tries: Type.Integer({ examples: [5] }),
  last_failure: answeredText({ examples: ['network_operator_unreachable'] }),
  set_aside_at: answeredInstant({ examples: ['2026-11-20T17:00:00.000Z'] }),
  next_attempt_at: requiredInstant({ examples: ['2026-11-20T18:00:00.000Z'] }),
  wanted: Type.Boolean({ description: 'False if all its batches were canceled.', examples: [true] }),
});
const deferredPage = Type.Object(
  { look_ups: Type.Array(deferredLookup), next_cursor: answeredText() },
  { title: 'SetAsideLookUps' },
);

/** A page of deferred lookups. */
export type DeferredLookupPage = Static<typeof deferredPage>;

/** `GET look-ups/<operator>/set-aside/`. */
export const listDeferredLookupsOpenApi: RouteOpenApi = {
  operationId: 'listSetAsideLookUps',
  summary: 'List identifiers for which a network operator has failed',
  description: 'In the order of their next attempt, 50 per page.',
  page: 'docs/operators/suppliers-and-options.md#stored-data-of-an-account',
  path: networkOperatorPath,
  query: {
    cursor: {
      description: '`next_cursor` of the previous page.',
      example: '1763658000000000-4711',
      schema: { type: 'string', minLength: 1, pattern: '^[0-9]{1,16}-[0-9]{1,18}$' },
    },
  },
  replies: { 200: { description: 'A page of lookups.', schema: deferredPage } },
  refusals: ['not_found'],
};

const lookupReply = Type.Object({
  customer_authorisation: Type.Boolean({ examples: [true] }),
  state: Type.String({ description: 'pending, imported or errored.', examples: ['imported'] }),
  errored_reason: answeredText(),
  tries: Type.Integer({ examples: [0] }),
  last_failure: answeredText(),
  next_attempt_at: answeredInstant(),
  ended_at: answeredInstant({ examples: ['2026-11-20T17:00:11.000Z'] }),
});

const supplyPoint = Type.Object(
  {
    network_operator: Type.Unsafe<NetworkOperatorName>({ type: 'string' }),
    identifier: Type.String({ examples: ['25014987360042'] }),
    facts: facts({ segment: 'C5', subscribed_power: '9 kVA' }),
    source: answeredText({ examples: ['enedis-sge'] }),
    looked_up_at: answeredInstant({ examples: ['2026-11-20T17:00:11.000Z'] }),
    with_customer_authorisation: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: 'Whether the lookup that returned these facts declared an authorization.',
      examples: [true],
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
);

/** A supply point as operators see it. */
export type SupplyPointView = Static<typeof supplyPoint>;

/** `GET supply-points/<operator>/<identifier>/`. */
export const findSupplyPointOpenApi: RouteOpenApi = {
  operationId: 'findSupplyPoint',
  summary: 'Read the facts about one supply point',
  description: 'Each read is recorded in the audit.',
  page: 'docs/operators/suppliers-and-options.md#stored-data-of-an-account',
  path: { ...networkOperatorPath, identifier: { description: 'PRM or PCE.', example: '25014987360042' } },
  replies: {
    200: { description: 'The facts, the lookups, and the accounts with the supply point.', schema: supplyPoint },
  },
  refusals: ['not_found'],
};

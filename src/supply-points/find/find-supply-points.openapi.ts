import { type Static, Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText, requiredInstant } from '../../platform/validation/field-types.schema.ts';
import {
  batchCounts,
  batchOwners,
  batchStatus,
  EXAMPLE_BATCH,
  EXAMPLE_PROGRESS,
  facts,
  networkOperatorPath,
} from '../supply-points.openapi.ts';
import { idCursor } from '../../platform/http/cursor-schema.ts';
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
    limit: {
      description: 'Batches per page, 20 by default; the Link header leads to the next page.',
      example: 20,
      schema: { type: 'integer', minimum: 1, maximum: 100 },
      violations: ['invalid'],
    },
    cursor: {
      description: 'Start of the page, from the Link header of the previous page.',
      example: EXAMPLE_BATCH,
      schema: idCursor,
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'The batches, without their identifiers.',
      hasLink: true,
      schema: Type.Array(
        Type.Object(
          {
            batch_id: Type.String(),
            status: batchStatus(),
            import_suppliers: batchOwners(),
            counts: batchCounts(),
            created_at: requiredInstant(),
            ended_at: answeredText({ format: 'date-time' }),
          },
          { title: 'ListedPopulationBatch' },
        ),
      ),
      example: [
        {
          batch_id: EXAMPLE_BATCH,
          status: 'COMPLETED',
          import_suppliers: ['SUPPLIER_FR'],
          created_at: '2026-11-20T17:00:10.000Z',
          ended_at: '2026-11-20T17:00:12.000Z',
          counts: {
            accepted: { prm_ids: 3, pce_ids: 1 },
            imported: { prm_ids: 2, pce_ids: 1 },
            pending: { prm_ids: 0, pce_ids: 0 },
            errored: { prm_ids: 1, pce_ids: 0 },
          },
        },
      ],
    },
  },
  refusals: ['validation_failed'],
};

const batchInList = Type.Object(
  {
    batch_id: Type.String(),
    status: batchStatus(),
    import_suppliers: batchOwners(),
    counts: batchCounts(),
    rate_per_second: Type.Number({ description: 'Identifiers completed per second, recently.' }),
    estimated_end: answeredText({ format: 'date-time' }),
    created_at: requiredInstant(),
    ended_at: answeredText({ format: 'date-time' }),
  },
  { title: 'PopulationBatchInList' },
);
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
  tag: 'Operations',
  summary: 'List batches of supply points',
  description: 'Of all organizations, newest first, 50 per page.',
  page: 'docs/operators/suppliers-and-options.md#stored-data-of-an-account',
  query: {
    status: {
      description: 'Only batches of this status.',
      example: 'IN_PROGRESS',
      schema: { type: 'string', enum: [...batchStatuses] },
      violations: ['invalid_choice'],
    },
    import_supplier: { description: 'Code of an import supplier.', example: 'SUPPLIER_FR' },
    cursor: {
      description: '`next_cursor` of the previous page.',
      example: EXAMPLE_BATCH,
      schema: idCursor,
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'A page of batches, without their identifiers.',
      schema: batchPage,
      example: {
        batches: [
          { batch_id: EXAMPLE_BATCH, status: 'IN_PROGRESS', import_suppliers: ['SUPPLIER_FR'], ...EXAMPLE_PROGRESS },
        ],
        next_cursor: null,
      },
    },
  },
  refusals: ['validation_failed'],
};

const deferredLookup = Type.Object({
  identifier: Type.String(),
  customer_authorisation: Type.Boolean(),
  tries: Type.Integer(),
  last_failure: answeredText(),
  set_aside_at: answeredText({ format: 'date-time' }),
  next_attempt_at: requiredInstant(),
  wanted: Type.Boolean({ description: 'False if all its batches were canceled.' }),
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
  tag: 'Operations',
  summary: 'List identifiers for which a network operator has failed',
  description: 'In the order of their next attempt, 50 per page.',
  page: 'docs/operators/suppliers-and-options.md#stored-data-of-an-account',
  path: networkOperatorPath,
  query: {
    cursor: {
      description: '`next_cursor` of the previous page.',
      example: '1763658000000000-4711',
      schema: { type: 'string', minLength: 1, pattern: '^[0-9]{1,16}-[0-9]{1,18}$' },
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'A page of lookups.',
      schema: deferredPage,
      example: {
        look_ups: [
          {
            identifier: '25014987360059',
            customer_authorisation: true,
            tries: 5,
            last_failure: 'network_operator_unreachable',
            set_aside_at: '2026-11-20T17:00:00.000Z',
            next_attempt_at: '2026-11-20T18:00:00.000Z',
            wanted: true,
          },
        ],
        next_cursor: null,
      },
    },
  },
  refusals: ['validation_failed', 'not_found'],
};

const lookupReply = Type.Object({
  customer_authorisation: Type.Boolean(),
  state: Type.String({ description: 'pending, imported or errored.' }),
  errored_reason: answeredText(),
  tries: Type.Integer(),
  last_failure: answeredText(),
  next_attempt_at: answeredText({ format: 'date-time' }),
  ended_at: answeredText({ format: 'date-time' }),
});

const supplyPoint = Type.Object(
  {
    network_operator: Type.Unsafe<NetworkOperatorName>({ type: 'string' }),
    identifier: Type.String(),
    facts: facts(),
    source: answeredText(),
    looked_up_at: answeredText({ format: 'date-time' }),
    with_customer_authorisation: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: 'Whether the lookup that returned these facts declared an authorization.',
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
  tag: 'Operations',
  summary: 'Read the facts about one supply point',
  description: 'Each read is recorded in the audit.',
  page: 'docs/operators/suppliers-and-options.md#stored-data-of-an-account',
  path: { ...networkOperatorPath, identifier: { description: 'PRM or PCE.', example: '25014987360042' } },
  replies: {
    200: {
      description: 'The facts, the lookups, and the accounts with the supply point.',
      schema: supplyPoint,
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

import type { Reply, Route } from '../../platform/http/route.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Actor, recordAudit } from '../../access/index.ts';
import type { WritableDatabase } from '../../platform/database/database.ts';
import type { WorkRuns } from '../../platform/temporal/start-run.ts';
import { compileOperatorBody } from '../../platform/validation/compile-payload.ts';
import { isNetworkOperator, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { isUuid } from '../../vocabulary/wire-forms.ts';
import { retryBatchIn, retryLookupIn } from '../lookup/retry-lookups.store.ts';
import { unknownBatch } from '../populate/population-batch.rules.ts';
import { runsOf } from '../populate/populate.store.ts';
import { cancelBatchIn } from '../populate/population-batch.store.ts';
import { unknownNetworkOperator } from '../throttle/throttle.rules.ts';
import { type Static, Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { batchId, batchPath, networkOperatorPath } from '../supply-points.openapi.ts';
import { requiredText, text } from '../../platform/validation/field-types.schema.ts';

/** Maximum identifiers of a selection. */
const SELECTED_MAX = 100;

/** Optional body of the operations that change a batch or a lookup. */
const steeringReasonSchema = Type.Object({ reason: Type.Optional(text(1_000)) });

type SteeringReason = Static<typeof steeringReasonSchema>;

/** Body of `POST look-ups/<operator>/retry/`. */
const retryLookupsSchema = Type.Object({
  identifiers: Type.Array(requiredText(64), { minItems: 1, maxItems: SELECTED_MAX }),
  reason: Type.Optional(text(1_000)),
});

type RetryLookups = Static<typeof retryLookupsSchema>;

/** What the operations with an optional reason have in common. */
const ofReason = {
  request: steeringReasonSchema,
  requestExamples: { 'with a reason': { reason: 'The network operator has recovered' } },
  refusals: ['not_found'],
} as const;

const count = (example: number) => Type.Integer({ examples: [example] });

/** `POST population-batches/<batch_id>/retry/`. */
const retryBatchOpenApi: RouteOpenApi = {
  ...ofReason,
  operationId: 'retryPopulationBatch',
  summary: 'Retry all failed and deferred lookups of a batch',
  path: batchPath,
  replies: {
    200: {
      description: 'The number of lookups to retry.',
      schema: Type.Object({ batch_id: batchId(), retried: count(12) }, { title: 'RetriedBatch' }),
    },
  },
};

/** `POST population-batches/<batch_id>/cancel/`. */
const cancelBatchOpenApi: RouteOpenApi = {
  ...ofReason,
  operationId: 'cancelPopulationBatch',
  summary: 'Cancel a batch',
  description: 'Pending lookups end as errored with the reason `batch_cancelled`; completed ones are kept.',
  path: batchPath,
  replies: {
    200: {
      description: 'The batch is canceled, or had already ended.',
      schema: Type.Object(
        { batch_id: batchId(), status: Type.String({ examples: ['CANCELLED'] }), cancelled: count(40) },
        { title: 'CancelledBatch' },
      ),
    },
  },
};

/** `POST look-ups/<operator>/<identifier>/retry/`. */
const retryLookupOpenApi: RouteOpenApi = {
  ...ofReason,
  operationId: 'retryLookUp',
  summary: 'Retry the lookup of one identifier',
  path: { ...networkOperatorPath, identifier: { description: 'PRM or PCE.', example: '25014987360075' } },
  replies: {
    200: {
      description:
        '0 if the identifier is pending or imported, 1 if it is retried, 2 if it is retried both with and without customer authorization.',
      schema: Type.Object(
        {
          network_operator: Type.String(),
          identifier: Type.String({ examples: ['25014987360075'] }),
          retried: count(1),
        },
        { title: 'RetriedLookUp' },
      ),
    },
  },
};

/** `POST look-ups/<operator>/retry/`. */
const retryLookupsOpenApi: RouteOpenApi = {
  operationId: 'retryLookUps',
  summary: 'Retry the lookups of selected identifiers',
  description: 'Each identifier is retried for all its batches. Identifiers without a batch are skipped.',
  path: networkOperatorPath,
  request: retryLookupsSchema,
  requestExamples: { two: { identifiers: ['25014987360075', '25014987360059'], reason: 'Enedis has corrected them' } },
  replies: {
    200: {
      description: 'The number of lookups to retry.',
      schema: Type.Object({ network_operator: Type.String(), retried: count(2) }, { title: 'RetriedLookUps' }),
    },
  },
  refusals: ['not_found'],
};

/** The operations by path below `/v1/operations/`. Only the first requires a body. */
const STEERINGS = [
  { path: 'look-ups/:operator/retry', openApi: retryLookupsOpenApi, change: retryLookups, bodyIsOptional: false },
  { path: 'population-batches/:batch/retry', openApi: retryBatchOpenApi, change: retryBatch },
  { path: 'population-batches/:batch/cancel', openApi: cancelBatchOpenApi, change: cancelBatch },
  { path: 'look-ups/:operator/:identifier/retry', openApi: retryLookupOpenApi, change: retryLookup },
];

/** The routes by which operators cancel and retry batches and retry lookups. */
export const steerLookupsRoutes = (deps: SteerDeps): Route[] =>
  STEERINGS.map(({ path, openApi, change, bodyIsOptional = true }) => ({
    method: 'POST',
    path: `/v1/operations/${path}`,
    access: 'operator',
    action: 'population-batch.steer',
    openApi,
    bodyLimitBytes: 16_384,
    bodyIsOptional,
    handle: (request) => change(deps, request),
  }));

/** Dependencies of changes to lookups. */
export interface SteerDeps {
  database: WritableDatabase;
  runs: WorkRuns;
}

/** A change that an operator requests by API or in the support site. */
export interface SteerOrder {
  params: Readonly<Record<string, string>>;
  body: unknown;
  caller: Actor;
}

const checkReason = compileOperatorBody<SteeringReason>(steeringReasonSchema);
const checkSelection = compileOperatorBody<RetryLookups>(retryLookupsSchema);

/** Makes a change and its audit record in one transaction; no record if the result is null. */
async function changeAudited<T extends object>(
  { database }: SteerDeps,
  audited: { caller: Actor; action: string; subject: string; reason: string | undefined },
  change: (em: EntityManager) => Promise<T | null>,
): Promise<T | null> {
  const { caller, ...entry } = audited;
  return database.transaction(async (em) => {
    const after = await change(em);
    if (after !== null) await recordAudit(em, caller, { ...entry, after });
    return after;
  });
}

async function changeBatch<T extends object>(
  deps: SteerDeps,
  { params, body, caller }: SteerOrder,
  action: string,
  change: (em: EntityManager, batchId: string) => Promise<T | null>,
): Promise<{ batchId: string; outcome: T } | Refused> {
  const sent = checkReason(body === undefined ? {} : body);
  if (isRefused(sent)) return sent;
  const batchId = params['batch'] ?? '';
  if (!isUuid(batchId)) return unknownBatch();
  const audited = { caller, action, subject: `population-batches/${batchId}`, reason: sent.reason };
  const outcome = await changeAudited(deps, audited, (em) => change(em, batchId));
  return outcome === null ? unknownBatch() : { batchId, outcome };
}

/** Cancels a batch: pending identifiers end as errored, completed ones stay. */
export async function cancelBatch(deps: SteerDeps, order: SteerOrder): Promise<Reply | Refused> {
  const changed = await changeBatch(deps, order, 'population_batch.cancelled', cancelBatchIn);
  if (isRefused(changed)) return changed;
  void deps.runs.start(runsOf({ networkOperators: [], batchIds: [changed.batchId] }));
  return { status: 200, body: { batch_id: changed.batchId, ...changed.outcome } };
}

/** Retries all errored and deferred lookups of a batch. */
export async function retryBatch(deps: SteerDeps, order: SteerOrder): Promise<Reply | Refused> {
  const changed = await changeBatch(deps, order, 'population_batch.retried', retryBatchIn);
  if (isRefused(changed)) return changed;
  void deps.runs.start(runsOf(changed.outcome));
  return { status: 200, body: { batch_id: changed.batchId, retried: changed.outcome.retried } };
}

/** Retries the lookup of one identifier for all batches that contain it. */
export async function retryLookup(deps: SteerDeps, order: SteerOrder): Promise<Reply | Refused> {
  const sent = checkReason(order.body === undefined ? {} : order.body);
  if (isRefused(sent)) return sent;
  const { operator: networkOperator, identifier = '' } = order.params;
  if (!isNetworkOperator(networkOperator)) return unknownNetworkOperator();
  const retried = await retryOne(deps, order, sent, networkOperator, identifier);
  return retried === undefined
    ? refuse('not_found', { detail: 'No batch has named this identifier at this network operator.' })
    : { status: 200, body: { network_operator: networkOperator, identifier, retried } };
}

/** Retries a selection of identifiers, each with its own audit record. Unknown identifiers are skipped. */
export async function retryLookups(deps: SteerDeps, order: SteerOrder): Promise<Reply | Refused> {
  const sent = checkSelection(order.body);
  if (isRefused(sent)) return sent;
  const { operator: networkOperator } = order.params;
  if (!isNetworkOperator(networkOperator)) return unknownNetworkOperator();
  let retried = 0;
  for (const identifier of new Set(sent.identifiers)) {
    retried += (await retryOne(deps, order, sent, networkOperator, identifier)) ?? 0;
  }
  return { status: 200, body: { network_operator: networkOperator, retried } };
}

/** @returns the number of retried lookups; undefined when no batch has named the identifier */
async function retryOne(
  deps: SteerDeps,
  { caller }: SteerOrder,
  { reason }: SteeringReason,
  networkOperator: NetworkOperatorName,
  identifier: string,
): Promise<number | undefined> {
  if (!/^[0-9A-Z]{1,64}$/.test(identifier)) return undefined;
  const audited = { caller, action: 'look_up.retried', subject: `look-ups/${networkOperator}/${identifier}`, reason };
  const again = await changeAudited(deps, audited, (em) => retryLookupIn(em, networkOperator, identifier));
  if (again === null) return undefined;
  void deps.runs.start(runsOf(again));
  return again.retried;
}

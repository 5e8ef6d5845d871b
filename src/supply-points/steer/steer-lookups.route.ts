import type { Route } from '../../platform/http/route.ts';
import { cancelBatch, retryBatch, retryLookup, retryLookups, type SteerDeps } from './steer-lookups.client.ts';
import {
  cancelBatchOpenApi,
  retryBatchOpenApi,
  retryLookupOpenApi,
  retryLookupsOpenApi,
} from './steer-lookups.openapi.ts';

const common = { action: 'population-batch.steer', bodyLimitBytes: 16_384 } as const;

/** The routes by which operators cancel and retry batches and retry lookups. */
export const steerLookupsRoutes = (deps: SteerDeps): Route[] => [
  {
    method: 'POST',
    access: 'operator',
    ...common,
    path: '/v1/operations/look-ups/:operator/retry',
    openApi: retryLookupsOpenApi,
    handle: (request) => retryLookups(deps, request),
  },
  {
    method: 'POST',
    access: 'operator',
    ...common,
    path: '/v1/operations/population-batches/:batch/retry',
    openApi: retryBatchOpenApi,
    bodyIsOptional: true,
    handle: (request) => retryBatch(deps, request),
  },
  {
    method: 'POST',
    access: 'operator',
    ...common,
    path: '/v1/operations/population-batches/:batch/cancel',
    openApi: cancelBatchOpenApi,
    bodyIsOptional: true,
    handle: (request) => cancelBatch(deps, request),
  },
  {
    method: 'POST',
    access: 'operator',
    ...common,
    path: '/v1/operations/look-ups/:operator/:identifier/retry',
    openApi: retryLookupOpenApi,
    bodyIsOptional: true,
    handle: (request) => retryLookup(deps, request),
  },
];

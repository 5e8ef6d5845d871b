import type { Database } from '../platform/database/database.ts';
import { operatorRead, type Reply, type Route } from '../platform/http/route.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import type { Refused } from '../vocabulary/refusals.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';
import {
  bulkActionList,
  bulkActionPath,
  bulkActionView,
  bulkPreview,
  bulkResult,
  createBulkActionSchema,
  steerBulkActionSchema,
} from './bulk-action.schema.ts';
import { findBulkAction, listBulkActions, readResults } from './bulk-action.store.ts';
import { viewOf } from './bulk-action.rules.ts';
import {
  type BulkDeps,
  type BulkVerb,
  createBulkAction,
  steerBulkAction,
  unknownAction,
} from './steer-bulk-action.client.ts';

const DOCS = 'docs/operators/bulk-actions.md';
const PATH = '/v1/operations/bulk-actions';
/** The newest actions of a list. */
const LISTED_MAX = 100;

const createOpenApi: RouteOpenApi = {
  operationId: 'createBulkAction',
  summary: 'Change all stuck work that matches a filter',
  description:
    'Retries, skips, cancels, dismisses, assigns or decides every matching item in the background, as the operation on a single item does. Without a filter all stuck work that the action applies to matches. `retry_lookups` also repeats failed lookups; their cause is the reason of the failure.',
  page: DOCS,
  request: createBulkActionSchema,
  rules: {
    decision: ['required', 'invalid'],
    to_import_supplier: ['required', 'invalid'],
    'filter.wave_id': ['invalid'],
  },
  requestExamples: {
    preview: { action: 'retry', filter: { cause: 'vendor_unavailable' }, reason: 'Preview', dry_run: true },
    retry: {
      action: 'retry',
      filter: { cause: 'vendor_unavailable', import_supplier: 'SUPPLIER_FR', older_than_seconds: 7_200 },
      reason: 'The vendor has recovered.',
    },
    decide: {
      action: 'decide',
      filter: { import_supplier: 'SUPPLIER_FR' },
      decision: 'GO_ON',
      reason: 'The former customers have moved out.',
    },
  },
  replies: {
    200: { description: 'With `dry_run`: the matching items. Nothing was changed.', schema: bulkPreview },
    202: { description: 'The action is running.', schema: bulkActionView },
  },
};

const steered = {
  pause: ['Pause a bulk action', 'The items of the current page are handled first, within a second.'],
  resume: ['Resume a bulk action', 'Continues with the next item.'],
  cancel: ['Cancel a bulk action', 'Handled items keep their outcomes. The others are not changed.'],
} as const;

const steerOpenApi = (verb: BulkVerb): RouteOpenApi => ({
  operationId: `${verb}BulkAction`,
  summary: steered[verb][0],
  description: `${steered[verb][1]} An action that has ended does not change.`,
  page: DOCS,
  path: bulkActionPath,
  request: steerBulkActionSchema,
  requestExamples: { 'with a reason': { reason: 'The vendor fails again.' } },
  replies: { 200: { description: 'The action after the change.', schema: bulkActionView } },
  refusals: ['not_found'],
});

/** Bulk actions: start or preview, list, read, results, pause, resume and cancel. */
export const bulkActionRoutes = (deps: BulkDeps): Route[] => [
  ...readRoutes(deps),
  {
    method: 'POST',
    path: PATH,
    access: 'operator',
    action: 'bulk-action.steer',
    openApi: createOpenApi,
    bodyLimitBytes: 16_384,
    handle: ({ body, caller }) => createBulkAction(deps, caller, body),
  },
  ...(['pause', 'resume', 'cancel'] as const).map((verb): Route => ({
    method: 'POST',
    path: `${PATH}/:bulk/${verb}`,
    access: 'operator',
    action: 'bulk-action.steer',
    openApi: steerOpenApi(verb),
    bodyLimitBytes: 16_384,
    handle: (request) => steerBulkAction(deps, verb, request),
  })),
];

const readRoutes = (deps: BulkDeps): Route[] => [
  operatorRead({
    path: PATH,
    openApi: {
      operationId: 'listBulkActions',
      summary: 'List the newest bulk actions',
      description: `The newest first, at most ${LISTED_MAX}.`,
      page: DOCS,
      replies: { 200: { description: 'The actions.', schema: bulkActionList } },
    },
    handle: async () => ({
      status: 200,
      body: { bulk_actions: (await listBulkActions(deps.database, LISTED_MAX)).map(viewOf) },
    }),
  }),
  operatorRead({
    path: `${PATH}/:bulk`,
    openApi: {
      operationId: 'findBulkAction',
      summary: 'Read a bulk action with its progress',
      page: DOCS,
      path: bulkActionPath,
      replies: { 200: { description: 'The action.', schema: bulkActionView } },
      refusals: ['not_found'],
    },
    handle: async ({ params }) => {
      const id = params['bulk'] ?? '';
      const found = isUuid(id) ? await findBulkAction(deps.database, id) : undefined;
      return found === undefined ? unknownAction() : { status: 200, body: viewOf(found) };
    },
  }),
  operatorRead({
    path: `${PATH}/:bulk/results`,
    isLong: true,
    openApi: {
      operationId: 'listBulkActionResults',
      summary: 'Read the outcome of each item of a bulk action',
      description: 'One line of JSON for each handled item, in the order in which they were handled.',
      page: DOCS,
      path: bulkActionPath,
      replies: { 200: { description: 'The outcomes.', mediaType: 'application/x-ndjson', schema: bulkResult } },
      refusals: ['not_found'],
    },
    handle: ({ params }) => readBulkResults(deps.lists, params['bulk'] ?? ''),
  }),
];

/** Streams the outcomes of a bulk action as JSON lines. */
export async function readBulkResults(
  lists: Database,
  id: string,
): Promise<(Reply & { body: AsyncIterable<string> }) | Refused> {
  const found = isUuid(id) ? await findBulkAction(lists, id) : undefined;
  if (found === undefined) return unknownAction();
  return { status: 200, mediaType: 'application/x-ndjson', body: readResults(lists, id) };
}

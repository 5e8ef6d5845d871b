import type { Database } from '../../platform/database/database.ts';
import {
  readRoute,
  type AuthenticatedRequest,
  type Caller,
  type Reply,
  type Route,
} from '../../platform/http/route.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { isUuid } from '../../vocabulary/wire-forms.ts';
import { unknownBatch } from '../populate/population-batch.rules.ts';
import { type BatchList, listsOf } from './batch-pages.store.ts';
import { createSlots, type Slots } from '../../platform/slots.ts';
import { type BatchCounts, findBatchCounts } from '../populate/population-batch.store.ts';
import { findResults } from '../lookup/lookup-result.store.ts';
import {
  findSupplyPointOpenApi,
  listBatchesForOperatorOpenApi,
  listBatchesOpenApi,
  listDeferredLookupsOpenApi,
  type BatchView,
} from './find-supply-points.openapi.ts';
import { recordAudit } from '../../access/index.ts';
import { findBatchPage, findNewestBatches, viewOfBatch } from './list-batches.store.ts';
import { isNetworkOperator } from '../../vocabulary/network-operators.ts';
import { listDeferredLookups } from '../lookup/deferred-lookup.store.ts';
import { unknownNetworkOperator } from '../throttle/throttle.rules.ts';
import { readSupplyPoint } from './find-supply-point.store.ts';
import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText, requiredInstant } from '../../platform/validation/field-types.schema.ts';
import { batchHead, batchPath, batchProgress, facts } from '../supply-points.openapi.ts';

const identifiers = (prms: string[], pces: string[]) =>
  Type.Object({
    prm_ids: Type.Array(Type.String(), { examples: [prms] }),
    pce_ids: Type.Array(Type.String(), { examples: [pces] }),
  });
const deferred = Type.Array(
  Type.Object({
    id: Type.String({ examples: ['25014987360059'] }),
    tries: Type.Integer({ examples: [5] }),
    next_attempt_at: requiredInstant({ examples: ['2026-11-20T18:00:00.000Z'] }),
  }),
);
const results = (id: string, fact: Record<string, string>, source: string) =>
  Type.Array(
    Type.Object({
      id: Type.String({ examples: [id] }),
      facts: facts(fact),
      source: answeredText({ examples: [source] }),
      looked_up_at: requiredInstant({ examples: ['2026-11-20T17:00:11.000Z'] }),
    }),
  );
const errored = Type.Array(
  Type.Object({
    id: Type.String({ examples: ['25014987360075'] }),
    errored_reason: Type.String({ examples: ['EPRM000'] }),
  }),
);

const populationBatch = Type.Object(
  {
    ...batchHead,
    customer_category: Type.String({
      description: 'Domestic, Professional, or a value that operators have allowed.',
      examples: ['Domestic'],
    }),
    customer_authorisation: Type.Boolean({
      description:
        'Whether the customers have authorized the lookups, by the request or by the option of the organization.',
      examples: [true],
    }),
    ...batchProgress,
    imported_requests: identifiers(['25014987360042'], ['03628810476215']),
    imported_results: Type.Object(
      {
        prms: results('25014987360042', { segment: 'C5', subscribed_power: '9 kVA' }, 'enedis-sge'),
        pces: results('03628810476215', { distribution_tariff: 'T2' }, 'grdf-adict'),
      },
      {
        description:
          'Results of imported identifiers, at most 1,000 of each list; `prm_after` and `pce_after` read the next ones. `facts` is null if they were found with an authorization that the batch does not have.',
      },
    ),
    pending_requests: identifiers(['25014987360059'], []),
    set_aside_requests: Type.Object(
      { prms: deferred, pces: deferred },
      {
        description:
          'Pending identifiers for which the network operator has failed, with the time of the next attempt.',
      },
    ),
    errored_requests: Type.Object({ prms: errored, pces: errored }),
    truncated: Type.Boolean({
      description: 'True if a list is shorter than its count; `limit` shows more.',
      examples: [false],
    }),
    warnings: Type.Object({
      repeated: Type.Integer({ examples: [0] }),
      in_both_lists: Type.Object({
        count: Type.Integer({ examples: [0] }),
        identifiers: Type.Array(Type.String(), { examples: [[]] }),
      }),
    }),
  },
  { title: 'PopulationBatch' },
);

/** What both operations have in common. */
const ofBatch = {
  path: batchPath,
  query: {
    limit: {
      description: 'Most identifiers in each list, 0 to 100,000; 100 by default.',
      example: 100,
      schema: { type: 'integer', minimum: 0, maximum: 100_000 },
    },
    prm_after: {
      description: 'The last identifier of `imported_results.prms` so far; the list continues after it.',
      example: '25014987360042',
    },
    pce_after: { description: 'The same for `imported_results.pces`.', example: '03628810476215' },
  },
  replies: {
    200: {
      description: 'The batch with its progress; `imported`, `pending` and `errored` always add up to `accepted`.',
      schema: populationBatch,
      example: { set_aside_requests: { pces: [] }, errored_requests: { pces: [] } },
    },
  },
  refusals: ['not_found'],
} as const;

/** `GET supply-point/populate/<batch_id>/`. */
const findBatchOpenApi: RouteOpenApi = {
  ...ofBatch,
  operationId: 'findPopulationBatch',
  tag: 'Supply points',
  summary: 'Read the progress of a batch of supply points',
  description:
    "Reasons that begin with EPRM or EPCE are the network operators' own. An organization may have two concurrent requests with a `limit` above 100; others wait up to two seconds and are then rejected with 429.",
};

/** `GET population-batches/<batch_id>/`. */
const findBatchForOperatorOpenApi: RouteOpenApi = {
  ...ofBatch,
  operationId: 'findPopulationBatchAsOperator',
  summary: 'Read the progress of any batch of supply points',
};

const LISTED = 100;
const LISTED_MAX = 100_000;
/** Limits the concurrent small responses of an organisation: each queries the database several times and could use up its connections. */
const SMALL_LISTS = { atOnce: 3, waitMs: 30_000, waitingMax: 1_000, heldMs: 60_000 } as const;
const RETRY_SECONDS = 5;

interface BatchDeps {
  database: Database;
  /** Database of the list pool, so that long lists do not use the connections of requests. */
  lists: Database;
}

/**
 * `GET supply-point/populate/<batch_id>/`, and `population-batches/<batch_id>/` for operators: the progress of a batch. 404 for a batch of
 * another organisation or of an import supplier that the key does not have.
 */
export function findPopulationBatch(deps: BatchDeps, access: 'supplier' | 'operator'): Route {
  const slots = createSlots(SMALL_LISTS);
  const [path, openApi] =
    access === 'supplier'
      ? (['supply-point/populate/:batch', findBatchOpenApi] as const)
      : (['population-batches/:batch', findBatchForOperatorOpenApi] as const);
  return readRoute(access, path, { openApi, isLong: isLarge }, (request, viewer) =>
    answer(deps, slots, request, viewer?.role === 'operator' ? undefined : viewer),
  );
}

async function answer(
  { database, lists }: BatchDeps,
  slots: Slots,
  request: AuthenticatedRequest,
  viewer: Caller | undefined,
): Promise<Reply | Refused> {
  const limit = request.query.get('limit');
  const listed = limit === null ? LISTED : Number(limit);
  if (!/^\d{1,6}$/.test(limit ?? '1') || listed > LISTED_MAX) {
    return refuse('validation_failed', {
      violations: [violation('invalid', ['limit'], `Send a whole number from 0 to ${LISTED_MAX}.`)],
    });
  }
  if (isLarge(request.query)) {
    const found = await find(lists, request, viewer, listed);
    return isRefused(found) ? found : { status: 200, body: piecesOf(found) };
  }
  const release = await slots.acquire(request.caller.organisation, request.hungUp());
  if (release === undefined) return tooMany();
  try {
    const found = await find(database, request, viewer, listed);
    return isRefused(found) ? found : { status: 200, body: await wholeBody(found) };
  } finally {
    release();
  }
}

function isLarge(query: URLSearchParams): boolean {
  return Number(query.get('limit')) > LISTED;
}

function tooMany(): Refused {
  return refuse('throttled', {
    detail: 'Your organization has too many status requests in progress. Retry after the time in Retry-After.',
    retryAfterSeconds: RETRY_SECONDS,
  });
}

interface FoundBatch {
  head: object;
  lists: BatchList[];
}

async function find(
  database: Database,
  { params, query }: AuthenticatedRequest,
  viewer: Caller | undefined,
  listed: number,
): Promise<FoundBatch | Refused> {
  const batchId = params['batch'] ?? '';
  const batch = isUuid(batchId) ? await findBatchCounts(database, batchId, viewer) : undefined;
  if (batch === undefined) return unknownBatch();
  const results = await findResults(database, batchId, query, listed);
  return isRefused(results)
    ? results
    : { head: { ...headOf(batch, listed), imported_results: results }, lists: listsOf(database, batch, listed) };
}

async function wholeBody({ head, lists }: FoundBatch): Promise<object> {
  const body: Record<string, Record<string, unknown[]>> = {};
  for (const { member, name, pages } of lists) {
    const items: unknown[] = [];
    for await (const page of pages()) items.push(...page);
    body[member] = { ...body[member], [name]: items };
  }
  return { ...head, ...body };
}

async function* piecesOf({ head, lists }: FoundBatch): AsyncGenerator<string> {
  let text = JSON.stringify(head).slice(0, -1);
  let open: string | undefined;
  for (const { member, name, pages } of lists) {
    text += member === open ? ',' : `${open === undefined ? '' : '}'},"${member}":{`;
    open = member;
    text += `"${name}":[`;
    let isFirst = true;
    for await (const page of pages()) {
      yield `${text}${isFirst ? '' : ','}${JSON.stringify(page).slice(1, -1)}`;
      text = '';
      isFirst = false;
    }
    text += ']';
  }
  yield `${text}}}`;
}

function headOf(batch: BatchCounts, listed: number) {
  const view = viewOfBatch(batch);
  const { imported, pending, errored } = view.counts;
  return {
    ...view,
    customer_category: batch.customerCategory,
    customer_authorisation: batch.customerAuthorisation,
    // Lists are truncated at `limit`; counts are not.
    truncated: [imported, pending, errored].some(({ prm_ids: prms, pce_ids: pces }) => prms > listed || pces > listed),
    warnings: batch.warnings,
  };
}

const PATH = '/v1/data-import/supply-point/populate';
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** `GET supply-point/populate/`: the newest batches that the caller may see, to find one whose response was lost. */
export const listPopulationBatches = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: PATH,
  access: 'supplier',
  openApi: listBatchesOpenApi,
  handle: async ({ query, caller }) => {
    const sent = query.get('limit') ?? String(LIMIT_DEFAULT);
    const limit = /^\d{1,3}$/.test(sent) ? Number(sent) : 0;
    const cursor = query.get('cursor') ?? undefined;
    const violations: Violation[] = [];
    if (limit < 1 || limit > LIMIT_MAX) {
      violations.push(violation('invalid', ['limit'], `Send a whole number from 1 to ${LIMIT_MAX}.`));
    }
    if (cursor !== undefined && !isUuid(cursor)) {
      violations.push(violation('invalid', ['cursor'], 'Use the cursor of the Link header of the previous page.'));
    }
    if (violations.length > 0) return refuse('validation_failed', { violations });
    // An operator gets the batches of all organisations.
    if (caller.role === 'operator') {
      await recordAudit(deps.database, caller, { action: 'operations.read', subject: 'population-batches' });
    }
    const batches = await findNewestBatches(
      deps.database,
      cursor,
      limit,
      caller.role === 'operator' ? undefined : caller,
    );
    const last = batches.length === limit ? batches.at(-1) : undefined;
    const headers: Record<string, string> =
      last === undefined ? {} : { link: `<${PATH}/?limit=${limit}&cursor=${last.batchId}>; rel="next"` };
    return { status: 200, body: batches.map((batch) => withoutRate(viewOfBatch(batch))), headers };
  },
});

function withoutRate({ rate_per_second: _rate, estimated_end: _end, ...view }: BatchView) {
  return view;
}

/** The routes that show operators the batches of all organisations and deferred lookups. */
export const findForOperatorsRoutes = ({ database }: { database: Database }): Route[] => [
  {
    method: 'GET',
    path: '/v1/operations/population-batches',
    access: 'operator',
    action: 'look',
    openApi: listBatchesForOperatorOpenApi,
    handle: async ({ query }) => {
      const found = await findBatchPage(database, query);
      return isRefused(found) ? found : { status: 200, body: found };
    },
  },
  {
    method: 'GET',
    path: '/v1/operations/look-ups/:operator/set-aside',
    access: 'operator',
    action: 'look',
    openApi: listDeferredLookupsOpenApi,
    handle: async ({ params: { operator }, query }) => {
      if (!isNetworkOperator(operator)) return unknownNetworkOperator();
      const found = await listDeferredLookups(database, operator, query.get('cursor'));
      return isRefused(found) ? found : { status: 200, body: found };
    },
  },
];

/** `GET supply-points/<operator>/<identifier>/`: one supply point with its lookups and accounts. */
export const findSupplyPoint = ({ database }: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/supply-points/:operator/:identifier',
  access: 'operator',
  action: 'look',
  openApi: findSupplyPointOpenApi,
  handle: async ({ params, caller }) => {
    const found = await readSupplyPoint(database, caller, params);
    return isRefused(found) ? found : { status: 200, body: found };
  },
});

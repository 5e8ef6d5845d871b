import { Type } from 'typebox';
import type { Database } from '../platform/database/database.ts';
import type { Queryable } from '../platform/database/prepared-query.ts';
import { idCursor, newestPageLimit, readNewestPage } from '../platform/http/newest-page.ts';
import { readRoute, type Reply, type Route } from '../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../platform/http/route-openapi.ts';
import { readNumbers } from '../account-import/index.ts';
import { isRefused, type Refused } from '../vocabulary/refusals.ts';
import { waveStatuses } from '../vocabulary/waves.ts';
import { readEarlyStarts } from './early-starts.store.ts';
import { readWave, viewsOf } from './read-wave.store.ts';
import { EXAMPLE_WAVE, listedWave, wavePath, waveSchema } from './wave.schema.ts';
import { findNewestWaves, findWaveOfRequest, type WaveViewer } from './wave.store.ts';
import type { WaveView } from './wave-view.rules.ts';

interface FindDeps {
  database: Database;
  lists: Database;
}

const findOpenApi: RouteOpenApi = {
  operationId: 'findWave',
  tag: 'Waves',
  summary: 'Read a wave with its gates',
  description: 'Gates are computed from what is stored; each shows its evidence and where to see it.',
  page: 'docs/suppliers/waves.md',
  path: wavePath,
  replies: { 200: { description: 'The wave.', schema: waveSchema } },
  refusals: ['wave_not_found'],
};

/** `GET waves/<id>/`: a wave with its counts, gates and causes. */
export const findWaveRoute = ({ database }: FindDeps, access: 'supplier' | 'operator'): Route => {
  const openApi = access === 'supplier' ? findOpenApi : forOperators(findOpenApi, { summary: 'Read any wave' });
  return readRoute(access, 'waves/:wave', { openApi }, async (request, viewer) => {
    const found = await readWave(database, request, viewer);
    return isRefused(found) ? found : { status: 200, body: found };
  });
};

const listOpenApi: RouteOpenApi = {
  operationId: 'listWaves',
  tag: 'Waves',
  summary: 'List the newest waves',
  description: 'The waves of your organization, newest first, with counts that may be a minute old.',
  page: 'docs/suppliers/waves.md',
  query: {
    import_supplier: {
      description: 'Only waves of this import supplier.',
      example: 'SUPPLIER_FR',
      violations: ['null_characters_not_allowed'],
    },
    name: {
      description: 'Only the wave with exactly this name.',
      example: 'Brittany 3',
      violations: ['null_characters_not_allowed'],
    },
    status: {
      description: 'Only waves with this status.',
      example: 'CREATING',
      schema: { type: 'string', enum: Object.keys(waveStatuses) },
    },
    limit: newestPageLimit('Waves per page, 20 by default.'),
    cursor: {
      description: 'Start of the page, from the Link header of the previous page.',
      example: EXAMPLE_WAVE,
      schema: idCursor,
    },
  },
  replies: { 200: { description: 'The waves.', hasLink: true, schema: Type.Array(listedWave) } },
};

/** `GET waves/`: the newest waves that the caller may see. */
export const listWaves = ({ database }: FindDeps, access: 'supplier' | 'operator'): Route => {
  const openApi =
    access === 'supplier'
      ? listOpenApi
      : forOperators(listOpenApi, { summary: 'List the newest waves of all suppliers' });
  const route = readRoute(access, 'waves', { openApi }, async ({ query }, viewer) => {
    const page = await readWaves(database, query, viewer);
    if (isRefused(page)) return page;
    const headers: Record<string, string> =
      page.next === undefined ? {} : { link: `<${route.path}/?${page.next}>; rel="next"` };
    return { status: 200, body: page.waves, headers };
  });
  return route;
};

/** Lists the newest waves that match a query. @returns the waves, and the query of the next page if there are more */
async function readWaves(
  on: Queryable,
  query: URLSearchParams,
  viewer: WaveViewer | undefined,
): Promise<{ waves: WaveView[]; next: string | undefined } | Refused> {
  const page = readNewestPage(query, waveStatuses, ['import_supplier', 'name']);
  if (isRefused(page)) return page;
  const { before, limit, status, filters } = page;
  const wanted = { before, importSupplier: filters.import_supplier, name: filters.name, status, limit };
  const waves = await findNewestWaves(on, wanted, viewer);
  return { waves: await viewsOf(on, waves), next: page.nextAfter(waves) };
}

const numberLine = Type.Object(
  { external_account_number: Type.String(), service_account_number: Type.String() },
  {
    title: 'WaveNumber',
    examples: [{ external_account_number: 'HOME-00004711', service_account_number: 'A-7KQ2M9XDT' }],
  },
);

/** A list of accounts of a wave, one per line. */
interface ListedLines<Line> {
  path: string;
  openApi: Pick<RouteOpenApi, 'operationId' | 'summary' | 'description' | 'page'>;
  schema: { line: object; of: string };
  read(on: Queryable, waveId: string): AsyncGenerator<Line[]>;
  lineOf(line: Line): object;
}

/** A long list of a wave, as lines of JSON. */
function linesRoute<Line>({ lists }: FindDeps, { path, openApi, schema, read, lineOf }: ListedLines<Line>): Route {
  return {
    method: 'GET',
    path: `/v1/data-import/waves/:wave/${path}`,
    access: 'supplier',
    isLong: true,
    openApi: {
      ...openApi,
      tag: 'Waves',
      path: wavePath,
      replies: { 200: { description: schema.of, mediaType: 'application/x-ndjson', schema: schema.line } },
      refusals: ['wave_not_found'],
    },
    handle: async (request): Promise<Reply | Refused> => {
      const wave = await findWaveOfRequest(lists, request, request.caller);
      return isRefused(wave)
        ? wave
        : { status: 200, mediaType: 'application/x-ndjson', body: linesOf(read(lists, wave.id), lineOf) };
    },
  };
}

async function* linesOf<Line>(pages: AsyncGenerator<Line[]>, lineOf: (line: Line) => object): AsyncGenerator<string> {
  for await (const page of pages) for (const line of page) yield `${JSON.stringify(lineOf(line))}\n`;
}

/** `GET waves/<id>/numbers/`: external and service number of every created account of a wave. */
export const listWaveNumbers = (deps: FindDeps): Route =>
  linesRoute(deps, {
    path: 'numbers',
    openApi: {
      operationId: 'listWaveNumbers',
      summary: 'Read the numbers of the created accounts of a wave',
      description: 'One line of JSON for each created account, in the order of the external numbers.',
      page: 'docs/suppliers/waves.md',
    },
    schema: { line: numberLine, of: 'The numbers.' },
    read: readNumbers,
    lineOf: ({ external, number }) => ({ external_account_number: external, service_account_number: number }),
  });

const earlyStartLine = Type.Object(
  {
    external_account_number: Type.String(),
    supply_start_date: Type.String({ format: 'date' }),
    request_switch_on: Type.String({
      format: 'date',
      description: 'The day on which its switch would have to be requested.',
    }),
  },
  {
    title: 'EarlySupplyStart',
    examples: [
      { external_account_number: 'HOME-00004711', supply_start_date: '2026-12-20', request_switch_on: '2026-12-06' },
    ],
  },
);

/** `GET waves/<id>/early-starts/`: the rehearsed accounts of a wave whose supply starts too early for its plan. */
export const listEarlyStarts = (deps: FindDeps): Route =>
  linesRoute(deps, {
    path: 'early-starts',
    openApi: {
      operationId: 'listEarlySupplyStarts',
      summary: 'Read the accounts of a wave whose supply starts too early for its plan',
      description:
        'One line of JSON for each rehearsed account that is to be created, whose switch cannot be requested in time, in the order of the external numbers.',
      page: 'docs/suppliers/waves.md#supply-starts',
    },
    schema: { line: earlyStartLine, of: 'The accounts.' },
    read: readEarlyStarts,
    lineOf: ({ external, supplyStart, requestOn }) => ({
      external_account_number: external,
      supply_start_date: supplyStart,
      request_switch_on: requestOn,
    }),
  });

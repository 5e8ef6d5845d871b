import type { Route } from '../platform/http/route.ts';
import { overviewOpenApi } from './overview.openapi.ts';
import type { OverviewReader } from './read-overview.client.ts';

/** Counting stuck work may take long; after this time the response contains null instead. */
const ANSWER_TIMEOUT_MS = 3_000;

/** `GET overview/`: the state of the whole service. */
export const findOverview = ({ overview }: { overview: OverviewReader }): Route => ({
  method: 'GET',
  path: '/v1/operations/overview',
  access: 'operator',
  action: 'look',
  openApi: overviewOpenApi,
  handle: async () => ({ status: 200, body: await overview.read(ANSWER_TIMEOUT_MS) }),
});

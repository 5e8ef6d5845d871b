import type { Route } from '../platform/http/route.ts';
import { overviewOpenApi } from './overview.openapi.ts';
import type { OverviewReader } from './read-overview.client.ts';

/** What is stuck may take long to count; what is answered without it says null. */
const ANSWER_TIMEOUT_MS = 3_000;

/** `GET overview/`: what the whole service is doing. */
export const findOverview = ({ overview }: { overview: OverviewReader }): Route => ({
  method: 'GET',
  path: '/v1/operations/overview',
  access: 'operator',
  action: 'look',
  openApi: overviewOpenApi,
  handle: async () => ({ status: 200, body: await overview.read(ANSWER_TIMEOUT_MS) }),
});

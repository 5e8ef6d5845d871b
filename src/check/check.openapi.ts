import { textCursor } from '../platform/http/cursor-schema.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { mismatchRemedies } from '../vocabulary/mismatches.ts';
import { checkPageSchema, repairSchema, type CheckPage } from './check.schema.ts';

const EXAMPLE_CURSOR = 'WyJydW5zIiwiIl0';

const examplePage = (outcome: 'mended' | null): CheckPage => ({
  mismatches: [
    {
      kind: 'work_item_without_run',
      subject: 'populate-supply-points/019a9d3e-6c00-7000-8000-000000000001',
      accounts: [],
      since: '2026-11-20T17:00:00.000Z',
      detail: 'Temporal has no open run for it. The dispatcher starts one after 2026-11-20T17:05:00.000Z.',
      what_to_do: mismatchRemedies.work_item_without_run,
      mendable: true,
      outcome,
    },
  ],
  looked_at: 3,
  next_cursor: EXAMPLE_CURSOR,
});

/** `GET checks/`. */
export const checkStoresOpenApi: RouteOpenApi = {
  operationId: 'checkStores',
  tag: 'Operations',
  summary: 'Compare open work in Postgres with runs in Temporal',
  description:
    'Returns a page of findings and changes nothing. A page can be empty and still have a next page: continue until `next_cursor` is null.',
  page: 'docs/running/restore.md',
  query: {
    cursor: {
      description: '`next_cursor` of the previous page.',
      example: EXAMPLE_CURSOR,
      schema: textCursor,
      violations: ['invalid'],
    },
  },
  replies: { 200: { description: 'A page of findings.', schema: checkPageSchema, example: examplePage(null) } },
  refusals: ['validation_failed'],
};

/** `POST checks/mend/`. */
export const repairStoresOpenApi: RouteOpenApi = {
  operationId: 'mendStores',
  tag: 'Operations',
  summary: 'Check consistency and repair the findings',
  description:
    'Starts missing runs, terminates orphaned runs and frees slots. Send the request again with `next_cursor` as `cursor` until it is null. Each repair is audited.',
  page: 'docs/running/restore.md',
  request: repairSchema,
  rules: { cursor: ['invalid'] },
  requestExamples: { from_the_beginning: {} },
  replies: {
    200: {
      description: 'A page of findings with their repairs.',
      schema: checkPageSchema,
      example: examplePage('mended'),
    },
  },
  refusals: ['validation_failed'],
};

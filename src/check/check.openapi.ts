import { textCursor } from '../platform/http/cursor-schema.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { mismatchRemedies } from '../vocabulary/mismatches.ts';
import { checkPageSchema, mendSchema, type CheckPage } from './check.schema.ts';

const EXAMPLE_CURSOR = 'WyJydW5zIiwiIl0';

const examplePage = (outcome: 'mended' | null): CheckPage => ({
  mismatches: [
    {
      kind: 'work_item_without_run',
      subject: 'populate-supply-points/019a9d3e-6c00-7000-8000-000000000001',
      accounts: [],
      since: '2026-11-20T17:00:00.000Z',
      detail: 'Temporal has no open run of it; the dispatcher looks at it at 2026-11-20T17:05:00.000Z.',
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
    'A page of the comparison; it changes nothing. A page may be empty and still have a next one: ask on until `next_cursor` is null.',
  page: 'docs/running/restore.md',
  query: {
    cursor: {
      description: '`next_cursor` of the page before.',
      example: EXAMPLE_CURSOR,
      schema: textCursor,
      violations: ['invalid'],
    },
  },
  replies: { 200: { description: 'What was found.', schema: checkPageSchema, example: examplePage(null) } },
  refusals: ['validation_failed'],
};

/** `POST checks/mend/`. */
export const mendStoresOpenApi: RouteOpenApi = {
  operationId: 'mendStores',
  tag: 'Operations',
  summary: 'Check consistency and repair the findings',
  description:
    'Starts runs, terminates those that nothing asks for, frees slots. Send it again with `next_cursor` as `cursor` until that is null. Each is in the audit.',
  page: 'docs/running/restore.md',
  request: mendSchema,
  rules: { cursor: ['invalid'] },
  requestExamples: { from_the_beginning: {} },
  replies: {
    200: { description: 'The findings, and the repairs.', schema: checkPageSchema, example: examplePage('mended') },
  },
  refusals: ['validation_failed'],
};

import { textCursor } from '../platform/http/newest-page.ts';
import { operatorRead, replyWith, type Route } from '../platform/http/route.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import { compileOperatorBody } from '../platform/validation/compile-payload.ts';
import { checkPage } from './check-page.client.ts';
import type { CheckDeps } from './check-step.rules.ts';
import { checkPageSchema, EXAMPLE_CURSOR, repairSchema, type RepairRequest } from './check.schema.ts';

/** `GET checks/`: compares a page of Postgres and Temporal, from `cursor` on, and changes nothing. */
export const checkStores = (deps: CheckDeps): Route =>
  operatorRead({
    path: '/v1/operations/checks',
    openApi: {
      operationId: 'checkStores',
      summary: 'Compare open work in Postgres with runs in Temporal',
      description:
        'Returns a page of findings and changes nothing. A page can be empty and still have a next page: continue until `next_cursor` is null.',
      page: 'docs/running/restore.md',
      query: {
        cursor: { description: '`next_cursor` of the previous page.', example: EXAMPLE_CURSOR, schema: textCursor },
      },
      replies: { 200: { description: 'A page of findings.', schema: checkPageSchema } },
    },
    handle: async ({ query, hungUp }) =>
      replyWith(await checkPage(deps, { cursor: query.get('cursor') ?? undefined, hungUp: hungUp() })),
  });

const checkBody = compileOperatorBody<RepairRequest>(repairSchema);

/** `POST checks/mend/`: compares the same page and repairs its mismatches. */
export const repairStores = (deps: CheckDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/checks/mend',
  access: 'operator',
  action: 'check.mend',
  openApi: {
    operationId: 'mendStores',
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
        example: { mismatches: [{ outcome: 'mended' }] },
      },
    },
  },
  bodyLimitBytes: 16_384,
  handle: async ({ body, caller, hungUp }) => {
    const sent = checkBody(body);
    if (isRefused(sent)) return sent;
    return replyWith(await checkPage(deps, { cursor: sent.cursor, actor: caller, hungUp: hungUp() }));
  },
});

import { type Actor, recordAudit } from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { frenchAnswer } from '../../platform/http/answer-language.ts';
import type { AuthenticatedRequest, Reply, Route } from '../../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { type LineOutcomeName, lineOutcomes } from '../../vocabulary/import-jobs.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { jobPath } from '../import-job.schema.ts';
import { findJobOfRequest, type JobViewer } from '../import-job.store.ts';
import { resultLine } from '../results.schema.ts';
import { type WantedResults, writeResults } from './write-results.store.ts';

const openApi: RouteOpenApi = {
  operationId: 'listImportJobResults',
  tag: 'Import jobs',
  summary: 'Read the results of an import job',
  description:
    'JSON lines in the order of the job, at any time. `form=resend` returns the lines as they were sent, each with `_errors`, `_warnings` and `_line`, which are ignored when the line is sent again.',
  page: 'docs/suppliers/import-jobs.md',
  path: jobPath,
  query: {
    outcome: {
      description: 'The outcome of the lines to read.',
      example: 'failed',
      schema: { type: 'string', enum: Object.keys(lineOutcomes) },
      isRequired: true,
      violations: ['required'],
    },
    form: {
      description: 'Return lines as they were sent, to correct and send again.',
      example: 'resend',
      schema: { type: 'string', enum: ['resend'] },
    },
  },
  replies: {
    200: {
      description: 'One line of JSON for each matching line of the job.',
      mediaType: 'application/x-ndjson',
      schema: resultLine,
      example: { line: 7, key: 'HOME-00004711', outcome: 'succeeded', number: 'A-7KQ2M9XDT' },
    },
  },
  refusals: ['import_job_not_found'],
};

interface ResultsDeps {
  database: Database;
  /** Database of the list pool, so that long lists do not use connections of other requests. */
  lists: Database;
}

/** `GET import-jobs/<job>/results/`: the results of the lines of a job, as JSON lines. */
export const listImportJobResults = (deps: ResultsDeps): Route => ({
  method: 'GET',
  path: '/v1/data-import/import-jobs/:job/results',
  access: 'supplier',
  isLong: true,
  openApi,
  handle: (request) => listResults(deps, request, request.caller),
});

/** The same for operators. Lines contain personal data, so each read is recorded in the audit. */
export const listImportJobResultsForOperator = (deps: ResultsDeps): Route => ({
  method: 'GET',
  path: '/v1/operations/import-jobs/:job/results',
  access: 'operator',
  action: 'import-job.results',
  isLong: true,
  openApi: forOperators(openApi),
  handle: (request) => readResultsAsOperator(deps, request, request.query),
});

/**
 * Streams the results of any job as JSON lines. They contain personal data, so each read is recorded in the audit.
 * @param query outcome and form, as in the operator API
 */
export async function readResultsAsOperator(
  deps: ResultsDeps,
  order: { params: Readonly<Record<string, string>>; caller: Actor },
  query: URLSearchParams,
): Promise<(Reply & { body: AsyncIterable<string> }) | Refused> {
  const reply = await listResults(deps, { params: order.params, query }, undefined);
  if (!isRefused(reply)) {
    const subject = `import-jobs/${order.params['job']}/results`;
    await recordAudit(deps.database, order.caller, { action: 'import_job.results_read', subject });
  }
  return reply;
}

async function listResults(
  { lists }: ResultsDeps,
  request: Pick<AuthenticatedRequest, 'params' | 'query'> & Partial<Pick<AuthenticatedRequest, 'language'>>,
  viewer: JobViewer | undefined,
): Promise<(Reply & { body: AsyncIterable<string> }) | Refused> {
  const wanted = readWanted(request.query);
  if (isRefused(wanted)) return wanted;
  const job = await findJobOfRequest(lists, request, viewer);
  if (isRefused(job)) return job;
  const reply = { status: 200, mediaType: 'application/x-ndjson' } as const;
  if (request.language !== 'fr') return { ...reply, body: writeResults(lists, job, wanted) };
  const body = writeResults(lists, job, { ...wanted, translate: frenchAnswer });
  return { ...reply, body, headers: { 'content-language': 'fr' } };
}

function readWanted(query: URLSearchParams): WantedResults | Refused {
  const [outcome, form] = [query.get('outcome'), query.get('form')];
  const violations: Violation[] = [];
  const choices = Object.keys(lineOutcomes).join(', ');
  if (outcome === null) violations.push(violation('required', ['outcome'], `Send one of ${choices}.`));
  else if (!Object.hasOwn(lineOutcomes, outcome)) {
    violations.push(violation('invalid_choice', ['outcome'], `Send one of ${choices}.`));
  }
  if (form !== null && form !== 'resend') {
    violations.push(violation('invalid_choice', ['form'], 'Send resend, or omit the parameter.'));
  }
  return violations.length > 0
    ? refuse('validation_failed', { violations })
    : { outcome: outcome as LineOutcomeName, isResend: form === 'resend' };
}

import type { Route } from '../../platform/http/route.ts';
import { parisDay } from '../../platform/clock.ts';
import { readFlag } from '../../platform/http/query-parameters.ts';
import type { DocumentCheck } from '../../suppliers/index.ts';
import { warningsOf } from '../../vocabulary/warnings.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { findPayloadWarnings } from './account-warnings.validation.ts';
import { validateAccountOpenApi } from './validate-account.openapi.ts';
import { checkAccountPayload, type PayloadDeps } from './check-account-payload.validation.ts';
import { refuseMissingDocuments } from './check-documents.validation.ts';

/** Operation 1: checks an account and answers what would be staged; keeps nothing. */
export const validateAccount = (deps: PayloadDeps & { documents: DocumentCheck; bodyLimitBytes: number }): Route => ({
  method: 'POST',
  path: '/v1/data-import/validate-account',
  access: 'supplier',
  openApi: validateAccountOpenApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  handle: async (request) => {
    const withWarnings = readFlag(request.query, 'warnings', false);
    if (typeof withWarnings !== 'boolean') return refuse('validation_failed', { violations: [withWarnings] });
    const checked = await checkAccountPayload(request, deps);
    if (isRefused(checked)) return checked;
    const missing = await refuseMissingDocuments(deps.documents, checked.supplier, checked.account, request.log);
    if (missing) return missing;
    const { body, sent, sentText } = request;
    if (withWarnings) {
      const warnings = findPayloadWarnings(checked, parisDay(deps.clock.now()));
      return { status: 200, body: { ...checked.account, ...warningsOf(warnings) } };
    }
    const bodyJson = sentText ?? sent;
    // If nothing was dropped or trimmed, the sent body is the validated data, so it is not serialized again.
    return {
      status: 200,
      body: checked.account,
      ...(checked.account === body && bodyJson !== undefined ? { bodyJson } : {}),
    };
  },
});

import type { Route } from '../../platform/http/route.ts';
import type { DocumentCheck } from '../../suppliers/index.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
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
    const checked = await checkAccountPayload(request, deps);
    if (isRefused(checked)) return checked;
    const missing = await refuseMissingDocuments(deps.documents, checked.supplier, checked.account, request.log);
    if (missing) return missing;
    const { body, sent, sentText } = request;
    const bodyJson = sentText ?? sent;
    // Nothing was dropped or cut: then what was sent is the validated data, and need not be written anew.
    return {
      status: 200,
      body: checked.account,
      ...(checked.account === body && bodyJson !== undefined ? { bodyJson } : {}),
    };
  },
});

import type { Route } from '../../platform/http/route.ts';
import { parisDay } from '../../platform/clock.ts';
import { flagParameter, readFlag } from '../../platform/http/query-parameters.ts';
import type { DocumentCheck } from '../../suppliers/index.ts';
import { warningsOf } from '../../vocabulary/warnings.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { findPayloadWarnings } from './account-warnings.validation.ts';
import { checkAccountPayload, type PayloadDeps, refuseMissingDocuments } from './account-payload.validation.ts';
import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { warningsMember } from '../../platform/validation/warning.schema.ts';
import { domesticAccountExample, payloadRequest } from './account-payload.openapi.ts';
import { accountPayloadSchema } from '../../accounts/account-payload.schema.ts';

/** Operation 1: validates an account and returns the data that would be staged. Stores nothing. */
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
    // If nothing was dropped or trimmed, the body as sent is the response and need not be serialized.
    return {
      status: 200,
      body: checked.account,
      ...(checked.account === body && bodyJson !== undefined ? { bodyJson } : {}),
    };
  },
});

/** Operation 1. */
const validateAccountOpenApi: RouteOpenApi = {
  operationId: 'validateAccount',
  tag: 'Accounts',
  summary: 'Validate an account without storing it',
  description:
    'Returns the data that would be staged: values as sent, strings trimmed, unknown members omitted. The response lists all violations.',
  query: {
    warnings: flagParameter(
      'Whether the response contains `warnings` beside the validated data, if there are any: dropped members, and data that needs attention.',
      false,
    ),
  },
  ...payloadRequest,
  replies: {
    200: {
      description: 'The account is valid. The response is the validated data.',
      schema: Type.Object(
        { ...accountPayloadSchema.properties, warnings: Type.Optional(warningsMember) },
        { title: 'ValidatedAccount', examples: [domesticAccountExample] },
      ),
    },
  },
  refusals: ['account_failed_validation', 'validation_failed'],
};

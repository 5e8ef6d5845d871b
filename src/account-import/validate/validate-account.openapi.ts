import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { domesticAccountExample, payloadRequest } from './account-payload.openapi.ts';
import { accountPayloadSchema } from './account-payload.schema.ts';

/** Operation 1. */
export const validateAccountOpenApi: RouteOpenApi = {
  operationId: 'validateAccount',
  tag: 'Accounts',
  summary: 'Check an account without keeping anything',
  description:
    'Answers what would be staged: values as sent, blanks around texts cut, undocumented members left out. All faults come back at once.',
  ...payloadRequest,
  replies: {
    200: {
      description: 'The account is valid: the validated data.',
      schema: accountPayloadSchema,
      example: domesticAccountExample,
    },
  },
  refusals: ['account_failed_validation'],
};

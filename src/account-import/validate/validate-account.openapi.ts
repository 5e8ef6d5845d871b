import { Type } from 'typebox';
import { flagParameter } from '../../platform/http/query-parameters.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { warningsMember } from '../../platform/validation/warning.schema.ts';
import { domesticAccountExample, payloadRequest } from './account-payload.openapi.ts';
import { accountPayloadSchema } from './account-payload.schema.ts';

/** Operation 1. */
export const validateAccountOpenApi: RouteOpenApi = {
  operationId: 'validateAccount',
  tag: 'Accounts',
  summary: 'Check an account without keeping anything',
  description:
    'Answers what would be staged: values as sent, blanks around texts cut, undocumented members left out. All faults come back at once.',
  query: {
    warnings: flagParameter(
      'Whether the answer has a member `warnings` beside the validated data, if there are any: members that were dropped, and data that needs a second look.',
      false,
    ),
  },
  ...payloadRequest,
  replies: {
    200: {
      description: 'The account is valid: the validated data.',
      schema: Type.Object(
        { ...accountPayloadSchema.properties, warnings: Type.Optional(warningsMember) },
        { title: 'ValidatedAccount' },
      ),
      example: domesticAccountExample,
    },
  },
  refusals: ['account_failed_validation', 'validation_failed'],
};

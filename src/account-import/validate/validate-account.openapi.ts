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
        { title: 'ValidatedAccount' },
      ),
      example: domesticAccountExample,
    },
  },
  refusals: ['account_failed_validation', 'validation_failed'],
};

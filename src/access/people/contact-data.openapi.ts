import type { ParameterOpenApi } from '../../platform/http/route-openapi.ts';

/** The query parameter by which contact data is asked for. */
export const revealQuery: { reveal: ParameterOpenApi } = {
  reveal: {
    description:
      'A key with the scope `read` sees `•••` instead of contact data, unless this is true; the audit then has a line of its own.',
    example: 'true',
    schema: { type: 'string', enum: ['true', 'false', '1', '0'], default: 'false' },
    violations: ['invalid'],
  },
};

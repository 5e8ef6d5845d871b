import { flagParameter } from '../../platform/http/query-parameters.ts';
import type { ParameterOpenApi } from '../../platform/http/route-openapi.ts';

/** The query parameter by which contact data is asked for. */
export const revealQuery: { reveal: ParameterOpenApi } = {
  reveal: flagParameter(
    'A key with the scope `read` gets `•••` instead of contact data, unless this is true; the audit then has an entry of its own.',
    false,
  ),
};

import { nearestName } from '../validation/unknown-members.ts';
import { tableOf } from '../../foundation/table.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { shownName, violation, type Violation } from '../../vocabulary/violations.ts';
import type { ParameterOpenApi } from './route-openapi.ts';

/** Maximum number of unknown parameters that are listed. */
const UNKNOWN_LISTED_MAX = 20;

/**
 * Rejects a query with an unknown, repeated or empty parameter: ignoring it would do something other than the sender expects.
 * @param querystring as sent, without the question mark
 * @param declared the parameters of the operation's openApi
 */
export function checkQuery(
  querystring: string,
  declared: Readonly<Record<string, ParameterOpenApi>>,
): Refused | undefined {
  if (querystring === '') return undefined;
  const sent = new URLSearchParams(querystring);
  const names = [...new Set(sent.keys())];
  const unknown = names.filter((name) => !Object.hasOwn(declared, name));
  if (unknown.length > 0) return unknownParameters(unknown, Object.keys(declared));
  const violations = names.flatMap((name) => valueFault(name, sent.getAll(name), declared[name]!.schema));
  return violations.length === 0 ? undefined : refuse('validation_failed', { violations });
}

function valueFault(name: string, values: readonly string[], schema: object = { type: 'string' }): Violation[] {
  const code = 'enum' in schema ? 'invalid_choice' : 'invalid';
  if (values.length > 1) return [violation(code, [name], 'Send this parameter once.')];
  // The operation validates patterns itself, together with its body.
  const mayBeEmpty =
    ('pattern' in schema && !('minLength' in schema)) || ('minLength' in schema && schema.minLength === 0);
  return !mayBeEmpty && values[0]!.trim() === ''
    ? [violation(code, [name], 'The parameter is empty. Send a value or omit it.')]
    : [];
}

function unknownParameters(unknown: readonly string[], known: readonly string[]): Refused {
  const violations = unknown
    .slice(0, UNKNOWN_LISTED_MAX)
    .map((name) => violation('invalid', [shownName(name)], sentenceOf(shownName(name), known)));
  return refuse('unknown_query_parameter', {
    detail: violations[0]!.detail,
    violations,
    truncated: unknown.length > UNKNOWN_LISTED_MAX,
  });
}

function sentenceOf(name: string, known: readonly string[]): string {
  if (known.length === 0) return `There is no query parameter ${JSON.stringify(name)}; this operation accepts none.`;
  const nearest = nearestName(name, known);
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `There is no query parameter ${JSON.stringify(name)}.${meant} This operation accepts ${known.join(', ')}.`;
}

/** OpenAPI description of a parameter with the number of items per page. */
export function limitParameter(description: string, example: number, maximum: number): ParameterOpenApi {
  return { description, example, schema: { type: 'integer', minimum: 1, maximum } };
}

const FLAGS = tableOf({ true: true, 1: true, false: false, 0: false });

/** OpenAPI schema and description of a boolean parameter. */
export function flagParameter(description: string, byDefault: boolean): ParameterOpenApi {
  return {
    description: `${description} \`true\`, \`false\`, \`1\` or \`0\`, in any case of letters.`,
    example: 'true',
    schema: { type: 'string', pattern: '^(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|1|0)$', default: String(byDefault) },
  };
}

/**
 * Reads a boolean parameter.
 * @returns a violation for any other value
 */
export function readFlag(query: URLSearchParams, name: string, byDefault: boolean): boolean | Violation {
  const sent = query.get(name);
  return (
    (sent === null ? byDefault : FLAGS.get(sent.toLowerCase())) ??
    violation('invalid', [name], 'Send true or false, or 1 or 0.')
  );
}

const JSON_TYPE = 'application/json';
const NDJSON_TYPE = 'application/x-ndjson';
const GRAPHQL_TYPE = 'application/graphql-response+json';
const PROBLEM_TYPE = 'application/problem+json';

/**
 * Returns whether the client accepts JSON. The most specific matching range decides; other parameters are ignored.
 * @param isGraphql whether the path also responds with the media type of GraphQL over HTTP
 */
export function acceptsJson(accept: string, isGraphql = false): boolean {
  if (accept === '' || accept === '*/*' || accept === JSON_TYPE) return true;
  const weights = weightsIn(accept);
  const weight = weights.get(JSON_TYPE) ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  // Clients that accept only problems or only NDJSON also get JSON: successes have no problem form, and refusals no NDJSON form.
  const isAccepted = (type: string) => (weights.get(type) ?? 0) > 0;
  return (
    weight > 0 ||
    (!weights.has(JSON_TYPE) && (isAccepted(PROBLEM_TYPE) || isAccepted(NDJSON_TYPE))) ||
    (isGraphql && isAccepted(GRAPHQL_TYPE))
  );
}

/** Returns whether the client requests errors in the format of RFC 9457; `application/*` does not request it. */
export function wantsProblem(accept: string): boolean {
  return accept.includes('problem+json') && (weightsIn(accept).get(PROBLEM_TYPE) ?? 0) > 0;
}

function weightsIn(accept: string): Map<string, number> {
  return new Map(
    accept
      .toLowerCase()
      .split(',')
      .map((range) => {
        const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
        const weight = parameters.find((parameter) => parameter.startsWith('q='));
        return [type, weight === undefined ? 1 : Number(weight.slice(2))] as const;
      }),
  );
}

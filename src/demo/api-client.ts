/** What the API answered. */
export interface Answer {
  status: number;
  body: unknown;
}

/**
 * Obtains a token for an API key.
 * @throws Error when the key is refused
 */
export async function obtainToken(http: string, key: string): Promise<string> {
  const query = 'mutation ($key: String!) { obtainToken(input: { organizationSecretKey: $key }) { token } }';
  const { body } = await call(http, 'POST', '/graphql/', '', { query, variables: { key } });
  const token = (body as { data?: { obtainToken?: { token?: string } } }).data?.obtainToken?.token;
  if (!token) throw new Error(`The demo could not obtain a token: ${JSON.stringify(body)}`);
  return token;
}

/** Makes one call; `token` is empty where none is needed. */
export async function call(http: string, method: string, path: string, token: string, body?: unknown): Promise<Answer> {
  const response = await fetch(http + path, {
    method,
    headers: {
      ...(token ? { authorization: `Token ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

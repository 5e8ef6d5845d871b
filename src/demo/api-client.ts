import { gzipSync } from 'node:zlib';

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

/** Uploads records as lines of JSON, packed with gzip. */
export async function upload(http: string, path: string, token: string, records: readonly object[]): Promise<Answer> {
  const response = await fetch(http + path, {
    method: 'PUT',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
    body: gzipSync(records.map((record) => `${JSON.stringify(record)}\n`).join('')),
  });
  return { status: response.status, body: await response.json() };
}

/** Reads an answer that is lines of JSON. */
export async function readLines(http: string, path: string, token: string): Promise<Record<string, unknown>[]> {
  const response = await fetch(http + path, { headers: { authorization: `Token ${token}` } });
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

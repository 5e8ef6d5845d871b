import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConstantBackoff, handleAll, retry } from 'cockatiel';

/** A market message as accepted by `POST /v1/operations/market-messages/`. */
export interface MarketMessage {
  message_id: string;
  import_supplier: string;
  external_account_number: string;
  supply_point_identifier: string;
  outcome: 'ACCEPTED' | 'REJECTED' | 'COMPLETED';
  occurred_at: string;
  reason?: string;
}

const TRY_AGAIN_MS = 1_000;

/**
 * Sends messages to the API of a running `npm start`, with its operator key, and retries until they are accepted. A message may be sent
 * twice, but none is lost.
 * @param dataDir its data folder, which contains up.json and the key once it is ready
 */
export function deliverToApi(dataDir: string, stopping: AbortSignal): (messages: MarketMessage[]) => Promise<void> {
  let token: string | undefined;
  const retries = retry(handleAll, { maxAttempts: Infinity, backoff: new ConstantBackoff(TRY_AGAIN_MS) });
  /** Fails while the API is starting or stopping. */
  const send = async (messages: MarketMessage[]): Promise<void> => {
    if (stopping.aborted) return;
    const { http, operator_key_file: keyFile } = JSON.parse(await readFile(join(dataDir, 'up.json'), 'utf8')) as {
      http: string;
      operator_key_file: string;
    };
    token ??= await obtainToken(http, (await readFile(keyFile, 'utf8')).trim());
    const answer = await fetch(`${http}/v1/operations/market-messages/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Token ${token}` },
      body: JSON.stringify(messages),
      signal: stopping,
    });
    if (answer.status === 401) token = undefined;
    if (!answer.ok) throw new Error(`the API answered ${answer.status}`);
  };
  return (messages) => retries.execute(() => send(messages), stopping).catch(() => {});
}

async function obtainToken(http: string, key: string): Promise<string> {
  const query = 'mutation ($key: String!) { obtainToken(input: { organizationSecretKey: $key }) { token } }';
  const answer = await fetch(`${http}/graphql/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { key } }),
  });
  const { data } = (await answer.json()) as { data?: { obtainToken?: { token?: string } } };
  if (!data?.obtainToken?.token) throw new Error('no token was given');
  return data.obtainToken.token;
}

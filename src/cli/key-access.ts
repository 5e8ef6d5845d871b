import { connectTo, type Connection } from './connection.ts';
import { obtainTokens, type Advice, type Tokens } from './http-exchange.ts';

/** A token that expires within this time is renewed first. */
const RENEWED_BEFORE_END_SECONDS = 60;

/** Connects with an API key. Tokens are valid for an hour, but a job may take a night: obtains a new one before it expires, or when it is rejected. */
export async function connectWithKey(access: {
  url: string;
  key: string;
  program: string;
  advice: Advice;
}): Promise<Connection> {
  const { url, key, program, advice } = access;
  let tokens: Promise<Tokens> | undefined;
  const obtain = async (isRejected: boolean): Promise<Tokens> => {
    const known = await tokens?.catch(() => undefined);
    if (known && !isRejected && known.payload.exp - Date.now() / 1_000 > RENEWED_BEFORE_END_SECONDS) return known;
    tokens = obtainTokens(url, { APIKey: key }, advice);
    return tokens;
  };
  const { sub, role, organisation } = (await obtain(false)).payload;
  return connectTo({
    url,
    isOperator: role === 'operator',
    program,
    advice,
    key: { id: sub, role, organisation },
    token: async (isRejected) => (await obtain(isRejected)).token,
  });
}

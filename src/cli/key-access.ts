import { tokensOfKey } from '../../clients/typescript/src/tokens.ts';
import { connectTo, type Connection } from './connection.ts';
import { withAdvice, type Advice } from './http-advice.ts';

/** Connects with an API key, and obtains its first token. */
export async function connectWithKey(access: {
  url: string;
  key: string;
  program: string;
  advice: Advice;
}): Promise<Connection> {
  const { url, key, program, advice } = access;
  const tokens = tokensOfKey(url, key);
  const { sub, role, organisation } = (await withAdvice(advice, () => tokens(false))).payload;
  return connectTo({
    url,
    isOperator: role === 'operator',
    program,
    advice,
    key: { id: sub, role, organisation },
    token: async (isRejected) => (await tokens(isRejected)).token,
  });
}

import type pg from 'pg';

export interface RecordedStatement {
  text: string;
  values: unknown[];
}

/** Returns the statements that `work` sends to the database of a test, prepared or not, without those of transactions and settings. */
export async function recordStatements(pool: pg.Pool, work: () => Promise<unknown>): Promise<RecordedStatement[]> {
  const recorded: RecordedStatement[] = [];
  const connect: () => Promise<pg.PoolClient> = pool.connect.bind(pool);
  const recording = async () => {
    const client = await connect();
    const { query, release } = client;
    client.query = ((sent: pg.QueryConfig | string) => {
      if (typeof sent !== 'string' && !sent.text.startsWith('set ')) {
        recorded.push({ text: sent.text, values: [...(sent.values ?? [])] });
      }
      return (query as (sent: unknown) => unknown).call(client, sent);
    }) as never;
    client.release = (error) => {
      Object.assign(client, { query, release });
      release.call(client, error);
    };
    return client;
  };
  Object.assign(pool, { connect: recording });
  try {
    await work();
  } finally {
    Object.assign(pool, { connect });
  }
  return recorded;
}

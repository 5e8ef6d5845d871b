import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PoolClient } from 'pg';

/** A file of SQL functions that lies beside the code that calls them. */
export interface SqlFile {
  /** Below `src`; it is known by it. */
  path: string;
  url: URL;
}

/**
 * Runs each file whose text is another one than when it was run last. A file says `create or replace`, so that a process
 * of the release before finds the function at every moment; a function with other parameters is a new function.
 * @param client a connection of the owner of the tables, in a transaction
 * @param files a function behind those it calls where Postgres looks at them when it is made
 * @returns the paths of those that were run
 */
export async function applySqlFiles(client: PoolClient, files: readonly SqlFile[]): Promise<string[]> {
  const { rows } = await client.query<{ path: string; sha256: string }>('select path, sha256 from applied_sql_file');
  const applied = new Map(rows.map(({ path, sha256 }) => [path, sha256]));
  const changed: string[] = [];
  for (const { path, url } of files) {
    const text = await readFile(url, 'utf8');
    const sha256 = createHash('sha256').update(text).digest('hex');
    if (applied.get(path) === sha256) continue;
    await client.query(text);
    await client.query(
      `insert into applied_sql_file (path, sha256) values ($1, $2)
       on conflict (path) do update set sha256 = excluded.sha256, applied_at = now()`,
      [path, sha256],
    );
    changed.push(path);
  }
  return changed;
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PoolClient } from 'pg';

/** A file of SQL functions, next to the code that calls them. */
export interface SqlFile {
  /** Path below `src`, which identifies the file. */
  path: string;
  url: URL;
}

/**
 * Runs each file that has changed since it was last run. Files use `create or replace`, so that processes of the previous release always
 * find the function; a function with other parameters is a new function.
 * @param client a connection of the owner of the tables, in a transaction
 * @param files ordered so that a function comes after the functions that Postgres needs to validate it
 * @returns the paths of the files that were run
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

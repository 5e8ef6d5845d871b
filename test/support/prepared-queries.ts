import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PreparedQuery } from '../../src/platform/database/prepared-query.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Loads a module again with its constants exported: most statements are private to their store. */
const MARK = '?constants';

/** A prepared query of the code, and where it is declared. */
export interface Statement extends PreparedQuery {
  path: string;
  constant: string;
}

/** The source of a file of the repository. */
export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** All prepared queries that are constants of their module. */
export async function preparedQueries(): Promise<Statement[]> {
  const hooks = registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (!url.endsWith(MARK)) return loaded;
      const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      const names = [...source.matchAll(/^(?:export )?const ([A-Z]\w+)\b/gm)].map(([, name]) => name);
      return { ...loaded, source: `${source}\nexport const constantsOfModule = { ${names.join(', ')} };` };
    },
  });
  try {
    const files = globSync('{src,activities}/**/*.ts', { cwd: ROOT }).filter((path) =>
      textOf(path).includes('PreparedQuery'),
    );
    return (await Promise.all(files.map(statementsOf))).flat();
  } finally {
    hooks.deregister();
  }
}

async function statementsOf(path: string): Promise<Statement[]> {
  const { constantsOfModule } = await import(pathToFileURL(join(ROOT, path)).href + MARK);
  return Object.entries(constantsOfModule as Record<string, unknown>).flatMap(([constant, value]) =>
    queriesIn(value).map((query) => ({ ...query, path, constant })),
  );
}

/** The statements in a constant: itself, or the members of a table of statements. */
function queriesIn(value: unknown): PreparedQuery[] {
  if (typeof value !== 'object' || value === null) return [];
  const { name, text } = value as Partial<PreparedQuery>;
  if (typeof name === 'string' && typeof text === 'string') return [{ name, text }];
  return Object.values(value).flatMap(queriesIn);
}

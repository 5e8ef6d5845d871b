import { posix } from 'node:path';

/** An import at run time: one file needs another one. */
interface Edge {
  from: string;
  to: string;
}

/** The imports of a file from other files of the project; type imports leave no trace at run time. */
const IMPORT =
  /^(?:import|export)\s+(?:(?!type\b)(?<what>\{[^}]*\}|\*(?:\s+as\s+\w+)?|\w+)\s+from\s+)?'(?<path>\.[^']+)'|\bimport\('(?<late>\.[^']+)'\)/gm;

function isTypesOnly(what: string | undefined): boolean {
  if (!what?.startsWith('{')) return false;
  const names = what.slice(1, -1).split(',');
  return names.every((name) => /^\s*(?:type\s|$)/.test(name));
}

/** The imports of a file at run time. */
function importsOf(file: string, text: string): Edge[] {
  return [...text.matchAll(IMPORT)].flatMap(({ groups }) => {
    const path = groups?.['path'] ?? groups?.['late'];
    if (path === undefined || isTypesOnly(groups?.['what'])) return [];
    return [{ from: file, to: posix.join(posix.dirname(file), path) }];
  });
}

/**
 * The folder of a file, down to a depth: `src/access` or, one level below, `src/platform/http`. A file beside such
 * folders (a registry, or shared code) counts as a folder; so does the public interface of a capability, once its
 * folders are separate.
 */
function folderOf(file: string, depth: number): string {
  const folders = file.split('/').slice(0, -1);
  if (folders.length < depth && file.endsWith('/index.ts')) return file;
  return folders.length < 2 ? file : folders.slice(0, depth).join('/');
}

/**
 * Finds folders that need each other at run time, directly or over others.
 * @param files path -> text
 * @param depth of the folders; 2 is `src/<folder>`
 * @returns a line for each import that is part of a circle
 */
export function findFolderCircles(files: ReadonlyMap<string, string>, depth: number): string[] {
  const needs = new Map<string, Set<string>>();
  const edges = [...files].flatMap(([file, text]) => importsOf(file, text));
  const between = edges
    .map((edge) => ({ ...edge, needing: folderOf(edge.from, depth), needed: folderOf(edge.to, depth) }))
    .filter(({ needing, needed }) => needing !== needed);
  for (const { needing, needed } of between) {
    if (!needs.has(needing)) needs.set(needing, new Set());
    needs.get(needing)!.add(needed);
  }
  const reached = new Map([...needs.keys()].map((folder) => [folder, reachableFrom(folder, needs)]));
  return between
    .filter(({ needing, needed }) => reached.get(needed)?.has(needing) === true)
    .map(({ needing, needed, from, to }) => `${needing} -> ${needed}: ${from} imports ${to}`)
    .sort();
}

/** All folders that a folder needs, directly or over others. */
function reachableFrom(folder: string, needs: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const next = [folder];
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    for (const needed of needs.get(one) ?? []) {
      if (!reached.has(needed)) next.push(needed);
      reached.add(needed);
    }
  }
  return reached;
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** All files below the named folders, as paths from the project's root with `/`; none if a folder does not exist. */
export function filesUnder(...folders: string[]): string[] {
  return folders
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
        .sort(),
    );
}

/**
 * The files beside package.json, including dot-files; without npm's lock file, and `.git`, which is a file in a
 * second work tree.
 */
export function rootFiles(): string[] {
  return readdirSync(ROOT, { withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !['package-lock.json', '.git'].includes(entry.name) && !entry.name.endsWith('.log'),
    )
    .map((entry) => entry.name);
}

export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The text without its comments; good enough to search for words, not to run. */
export function codeOf(path: string): string {
  return textOf(path)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$|\s\/\/ .*$/gm, '');
}

/** The comments of a file of code; good enough to search for words. */
export function commentsOf(path: string): string {
  return [...textOf(path).matchAll(/\/\*[\s\S]*?\*\/|(?:^|\s)(?:\/\/|#|--) .*$/gm)]
    .map(([comment]) => comment)
    .join('\n');
}

/** Whether a text names a code at the start of a quoted string: `'code'` or `'code place.of.the.fault'`. */
export function namesInQuotes(text: string, code: string): boolean {
  return new RegExp(`['"\`]${code}(?:['"\`]| \\S+['"\`])`).test(text);
}

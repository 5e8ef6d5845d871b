import { readFile, rename, writeFile } from 'node:fs/promises';

/** Writes a file that contains a secret to a temporary name and renames it, so that readers never see partial content. */
export async function writePrivate(path: string, content: string): Promise<void> {
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, content, { mode: 0o600 });
  await rename(unfinished, path);
}

/** Reads a secret, which is created at the first start and kept. */
export async function keptSecret(path: string, make: () => string): Promise<string> {
  const known = await readFile(path, 'utf8').catch(() => '');
  if (known !== '') return known.trim();
  const made = make();
  await writePrivate(path, made);
  return made;
}

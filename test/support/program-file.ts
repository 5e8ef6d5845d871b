import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from './until.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

type ProgramName = 'api' | 'cli' | 'migrate' | 'support-site' | 'worker';

/**
 * Returns the file of a program, bundled as in the image, because it starts in half the time. The first test of a run
 * that needs a program bundles all; the others wait. Outside a run, returns the source.
 */
export async function programFile(name: ProgramName): Promise<string> {
  const ofRun = process.env['TEST_FOLDER'];
  if (ofRun === undefined) return join(ROOT, 'src', name === 'cli' ? 'cli/main.ts' : `processes/${name}.ts`);
  const folder = join(ofRun, 'programs');
  const made = join(folder, 'made');
  const isFirst = await mkdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
  if (isFirst) {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await run(process.execPath, [join(ROOT, 'src/processes/bundle-programs.ts'), folder]);
    await writeFile(made, '');
  }
  await until(() => existsSync(made));
  return join(folder, `${name}.mjs`);
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fixedValues } from '../../src/platform/settings/fixed-values.ts';
import { until } from './until.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

type ProgramName = 'api' | 'cli' | 'migrate' | 'support-site' | 'worker';

/**
 * Returns the file of a process and its environment for the given settings. A test may also change fixed values; the
 * process then runs from source.
 */
export async function processWith(
  name: 'api' | 'worker' | 'support-site',
  settings: Record<string, string>,
): Promise<{ file: string; environment: Record<string, string> }> {
  const isFixed = ([setting]: [string, string]) => setting in fixedValues;
  const fixed = Object.entries(settings).filter(isFixed);
  if (fixed.length === 0) return { file: await programFile(name), environment: settings };
  return {
    file: join(import.meta.dirname, 'program-with-fixed-values.ts'),
    environment: {
      ...Object.fromEntries(Object.entries(settings).filter((entry) => !isFixed(entry))),
      TEST_PROGRAM: name,
      TEST_FIXED_VALUES: JSON.stringify(Object.fromEntries(fixed.map(([setting, value]) => [setting, Number(value)]))),
    },
  };
}

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

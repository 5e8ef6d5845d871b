import { spawn } from 'node:child_process';
import { childEnvironment } from './child-environment.ts';
import { programFile } from './program-file.ts';

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs the real command line as a separate process, with only the given settings as environment.
 * @param onOutput receives the whole standard output so far, each time it grows
 */
export async function runCommand(
  args: readonly string[],
  settings: Record<string, string>,
  input?: string,
  onOutput?: (stdout: string) => void,
): Promise<Ran> {
  const file = await programFile('cli');
  return await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args], {
      env: { ...childEnvironment(), ...settings },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const texts = { stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      texts.stdout += text;
      onOutput?.(texts.stdout);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      texts.stderr += text;
    });
    child.stdin?.end(input);
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, ...texts }));
  });
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { runCommandHere } from './command-here.ts';
import type { Ran } from './command-line.ts';
import type { Service } from './harness.ts';

/** The command line of a logged-in operator; commands run in the test process. */
export interface OperatorShell {
  /** Folder of the session, and of files that a test creates for commands. */
  folder: string;
  operatorKey: string;
  /** Output of the log-in. */
  login: Ran;
  settings(): Record<string, string>;
  run(...args: string[]): Promise<Ran>;
  /** Runs a command that succeeds, with `--json`; resolves to its output. */
  json(...args: string[]): Promise<any>;
  remove(): void;
}

/** Logs in to a service with a new operator key. */
export async function openOperatorShell(
  service: Pick<Service, 'call' | 'operatorToken' | 'url'>,
): Promise<OperatorShell> {
  const folder = mkdtempSync(join(tmpdir(), 'gangway-cli-'));
  const settings = () => ({ XDG_CONFIG_HOME: folder, DATA_DIR: join(folder, 'none') });
  const made = await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation: 'Ops', name: 'cli', role: 'operator' },
  });
  const operatorKey = made.body.api_key as string;
  const run = (...args: string[]) => runCommandHere(args, settings());
  return {
    folder,
    operatorKey,
    login: await runCommandHere(['login', '--url', service.url], { ...settings(), GANGWAY_API_KEY: operatorKey }),
    settings,
    run,
    json: async (...args) => {
      const { status, stdout, stderr } = await run(...args, '--json');
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout.trimEnd()).not.toContain('\n');
      return JSON.parse(stdout);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

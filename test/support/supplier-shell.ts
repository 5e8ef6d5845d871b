import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { childEnvironment } from './child-environment.ts';
import type { Ran } from './command-line.ts';
import type { Service } from './harness.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The unpacked package of the supplier's commands, with only the packages that it declares and nothing else of this repository. */
export interface SupplierShell {
  folder: string;
  /** Settings with which its commands find the service. */
  environment: Record<string, string>;
  /** Dependencies of the package. */
  dependencies: string[];
  /** Runs a command. `during` receives the process and its output so far, each time it grows. */
  run(args: readonly string[], options?: ShellOptions): Promise<Ran>;
  remove(): void;
}

interface ShellOptions {
  input?: string | Buffer;
  environment?: Record<string, string>;
  during?: (child: ChildProcess, stdout: string) => void;
  /** Receives the process. */
  started?: (child: ChildProcess) => void;
}

/** Packs the commands like `npm run pack:cli`, and issues a key for an import supplier. */
export async function openSupplierShell(service: Service, importSupplier: string): Promise<SupplierShell> {
  const folder = mkdtempSync(join(tmpdir(), 'gangway-supplier-'));
  const made = await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation: 'Acme', name: 'cli', role: 'supplier', import_suppliers: [importSupplier] },
  });
  const packed = execFileSync(process.execPath, [join(ROOT, 'src/processes/pack-supplier-commands.ts'), folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
  execFileSync('tar', ['xzf', packed, '-C', folder]);
  const installed = join(folder, 'package');
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    bin: { gangway: string };
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(manifest.dependencies)) {
    const link = join(installed, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  const main = join(installed, manifest.bin.gangway);
  const environment = { GANGWAY_URL: service.url, GANGWAY_API_KEY: made.body.api_key as string };
  return {
    folder,
    environment,
    dependencies: Object.keys(manifest.dependencies),
    run: (args, options = {}) =>
      runShell(
        spawn(process.execPath, [main, ...args], {
          cwd: folder,
          env: { ...childEnvironment(), ...environment, ...options.environment },
          stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
        }),
        options,
      ),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function runShell(child: ChildProcess, { input, during, started }: ShellOptions): Promise<Ran> {
  started?.(child);
  return new Promise((resolve, reject) => {
    const texts = { stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      texts.stdout += text;
      during?.(child, texts.stdout);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      texts.stderr += text;
    });
    child.stdin?.end(input);
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, ...texts }));
  });
}

import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { startService } from '../support/harness.ts';

// The client libraries run the story of docs/suppliers/getting-started.md, and the programs of docs/suppliers/clients.md, against a service.

const ROOT = join(import.meta.dirname, '../..');
const PYTHON = join(ROOT, 'clients/python/src');
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
if (!hasPython) {
  process.stderr.write('NOT RUN: python3 of version 3.9 is not installed, so the client for Python is not tested.\n');
}

const service = await startService({ worker: true });
let folder: string;
let environment: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gangway-clients-'));
  const { body } = await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation: 'Acme', name: 'client', role: 'supplier', import_suppliers: ['SUPPLIER_FR'] },
  });
  environment = { GANGWAY_URL: `${service.url}/`, GANGWAY_API_KEY: body.api_key, CLIENT_FOLDER: PYTHON };
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** Runs a program with the service and the key in its environment. */
async function run(program: string, args: string[]): Promise<string> {
  const options = { cwd: folder, env: { ...childEnvironment(), ...environment, PYTHONDONTWRITEBYTECODE: '1' } };
  return (await promisify(execFile)(program, args, options)).stdout;
}

const linesOf = (records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** Twenty accounts, of which one is invalid, and a note for each of the others. */
function writeFiles(prefix: string, from: number): [string, string] {
  const good = Array.from({ length: 19 }, (_, index) => ({
    ...domesticAccount({ import_supplier: 'SUPPLIER_FR' }, from + index),
    external_account_number: `${prefix}-${index}`,
  }));
  const bad = { ...good[0]!, external_account_number: `${prefix}-BAD`, account_type: 'CASTLE' };
  const notes = good.map(({ external_account_number: external }) => ({
    external_account_number: external,
    notes: [{ body: 'Moved from the former supplier.' }],
  }));
  const files: [string, string] = [join(folder, `${prefix}.ndjson`), join(folder, `${prefix}-notes.ndjson`)];
  writeFileSync(files[0], linesOf([...good, bad]));
  writeFileSync(files[1], linesOf(notes));
  return files;
}

const told = (prefix: string, events: number) => ({
  validated: `${prefix}-0`,
  refused: [400, 'account_failed_validation', 'invalid_choice'],
  checked: { accepted: 20, succeeded: 19, failed: 1, unprocessed: 0 },
  rehearsed: { accepted: 20, succeeded: 19, failed: 1, unprocessed: 0 },
  canary: ['PAUSED', 'canary'],
  created: { accepted: 20, succeeded: 19, failed: 1, unprocessed: 0 },
  numbers: 19,
  failed: ['invalid_choice'],
  attached: { accepted: 19, succeeded: 19, failed: 0, unprocessed: 0 },
  events,
});

test('the client for TypeScript runs the whole story', async () => {
  const files = writeFiles('TS', 1_000);
  const output = await run(process.execPath, [join(import.meta.dirname, 'story.ts'), ...files]);
  expect(JSON.parse(output)).toEqual(told('TS', 19));
});

test('the client for Python runs the whole story', async () => {
  if (!hasPython) return;
  const files = writeFiles('PY', 2_000);
  const output = await run('python3', [join(import.meta.dirname, 'story.py'), ...files]);
  expect(JSON.parse(output)).toEqual(told('PY', 38));
});

/** The program of a language in the guide. */
function documentedProgram(language: 'ts' | 'python'): string {
  const page = readFileSync(join(ROOT, 'docs/suppliers/clients.md'), 'utf8');
  const program = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)![1]!;
  expect(program.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(10);
  return program;
}

function writeAccounts(prefix: string, from: number): void {
  const [accounts] = writeFiles(prefix, from);
  writeFileSync(join(folder, 'accounts.ndjson'), readFileSync(accounts));
}

test('the documented program in TypeScript stages a file and prints what failed', async () => {
  writeAccounts('DOC-TS', 3_000);
  mkdirSync(join(folder, 'node_modules/@gangway'), { recursive: true });
  symlinkSync(join(ROOT, 'clients/typescript'), join(folder, 'node_modules/@gangway/client'));
  writeFileSync(join(folder, 'program.mts'), documentedProgram('ts'));
  const output = await run(process.execPath, ['program.mts']);
  expect(output).toMatch(/^COMPLETED \{ accepted: 20, succeeded: 19, failed: 1, unprocessed: 0 \}\n/);
  expect(output).toContain("key: 'DOC-TS-BAD'");
});

test('the documented program in Python stages a file and prints what failed', async () => {
  if (!hasPython) return;
  writeAccounts('DOC-PY', 4_000);
  writeFileSync(join(folder, 'program.py'), documentedProgram('python'));
  environment['PYTHONPATH'] = PYTHON;
  const output = await run('python3', ['program.py']);
  expect(output).toContain("COMPLETED {'accepted': 20, 'succeeded': 19, 'failed': 1, 'unprocessed': 0}");
  expect(output).toContain("'key': 'DOC-PY-BAD'");
});

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { downloadTemporalCli } from '../../src/local-stack/temporal-cli.ts';
import { reservePort } from '../support/test-port.ts';

// A place of releases of our own: what is published there is what each test puts into `files`.
const NAME = `temporal_cli_1.2.3_${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}.tar.gz`;
let folder: string;
let server: Server;
let from: string;
let archive: Buffer;
const files = new Map<string, Buffer | string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gangway-download-'));
  writeFileSync(join(folder, 'temporal'), '#!/bin/sh\necho hello\n', { mode: 0o755 });
  execFileSync('tar', ['-czf', 'release.tar.gz', 'temporal'], { cwd: folder });
  archive = readFileSync(join(folder, 'release.tar.gz'));
  rmSync(join(folder, 'temporal'));
  rmSync(join(folder, 'release.tar.gz'));
  server = createServer((request, response) => {
    const found = files.get(request.url ?? '');
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  const port = await reservePort();
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  from = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const target = () => join(folder, 'program');
const checksumOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const download = () =>
  downloadTemporalCli(
    { version: '1.2.3', target: target(), onProgress: () => undefined, isThere: async () => false },
    from,
  );
function publish(bytes: Buffer, checksums: string): void {
  files.set(`/v1.2.3/${NAME}`, bytes);
  files.set('/v1.2.3/checksums.txt', checksums);
}

test.each([
  [
    'changed on the way',
    () => [Buffer.concat([archive, Buffer.from('x')]), `${checksumOf(archive)}  ${NAME}\n`],
    'and not',
  ],
  ['cut short', () => [archive.subarray(0, 60), `${checksumOf(archive)}  ${NAME}\n`], 'and not'],
  [
    'not named among the checksums',
    () => [archive, `${checksumOf(archive)}  temporal_cli_1.2.3_other_amd64.tar.gz\n`],
    `does not name ${NAME}`,
  ],
  [
    'something else, as published',
    () => [Buffer.from('nonsense'), `${checksumOf(Buffer.from('nonsense'))}  ${NAME}\n`],
    'does not hold the program',
  ],
] as [string, () => [Buffer, string], string][])(
  'a program that is %s is not taken, and nothing is left of it',
  async (_case, published, sentence) => {
    publish(...published());
    await expect(download()).rejects.toThrow(sentence);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('one whose SHA-256 is the published one is put in place', async () => {
  publish(archive, `${'0'.repeat(64)}  other.tar.gz\n${checksumOf(archive)}  ${NAME}\n`);
  await download();
  expect(execFileSync(target(), { encoding: 'utf8' })).toBe('hello\n');
  expect(existsSync(target())).toBe(true);
});

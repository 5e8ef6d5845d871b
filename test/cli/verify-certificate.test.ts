import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { certificateOf } from '../../src/reconciliation/certificate.rules.ts';
import { openCertificateKeys, type CertificateKeys } from '../../src/reconciliation/certificate-key.client.ts';
import { emptyTally } from '../../src/reconciliation/tally.rules.ts';
import { runSupplierCommandHere } from '../support/command-here.ts';

let folder: string;
let key: CertificateKeys;
let pem: string;
const content = certificateOf({
  id: '019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c',
  importSupplier: '<b>ACME</b>',
  importJobId: null,
  organisation: null,
  status: 'COMPLETED',
  subject: 'business',
  position: '',
  tally: { ...emptyTally(), accounts: 7, values: 900, sums: { transactions: ['1.5', '1.6'] }, different: 1 },
  listed: 1,
  manifests: [
    {
      job_id: 'J',
      wave_id: null,
      sha256: 'a1b2',
      agrees: false,
      differences: [
        { path: 'accounts.records', expected: '8', received: '7', difference: '-1', is_accepted: true },
        { path: 'accounts.notes', expected: '2', received: '1', difference: '-1', is_accepted: false },
      ],
      accepted_at: '2026-11-21T14:00:00.000Z',
      accepted_reason: 'One was <i>late</i>',
    },
  ],
  version: '0.1.0',
  createdAt: new Date('2026-11-22T14:00:00Z'),
  endedAt: new Date('2026-11-22T14:00:10Z'),
});
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gangway-certificate-'));
  const pair = generateKeyPairSync('ed25519');
  key = await openCertificateKeys(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  pem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Runs the command of the suppliers' package without the address of a service. */
async function verify(signed: unknown, keyText: string, ...options: string[]) {
  const [file, keyFile] = [join(folder, 'certificate'), join(folder, 'key')];
  await writeFile(file, typeof signed === 'string' ? signed : JSON.stringify(signed));
  await writeFile(keyFile, keyText);
  const args = ['verify-certificate', file, '--key', keyFile, ...options];
  const { status, stdout, stderr } = await runSupplierCommandHere(args, {});
  return { status, said: stdout + stderr };
}

test('a certificate that was signed by the key holds, whichever form the key has; it becomes a page', async () => {
  const signed = { certificate: content, jws: await key.sign(content) };
  const page = join(folder, 'page.html');
  const [whole, bare] = [
    await verify(signed, JSON.stringify({ keys: key.publicKeys }), '--page', page),
    await verify(signed.jws, pem, '--json'),
  ];
  expect(whole.status).toBe(0);
  expect(whole.said).toContain('The signature holds. import supplier <b>ACME</b>: 7 accounts');
  expect(JSON.parse(bare.said)).toEqual(JSON.parse(JSON.stringify(content)));
  const html = await readFile(page, 'utf8');
  expect(html).toContain('&lt;b&gt;ACME&lt;/b&gt;');
  expect(html).not.toContain('<b>');
  expect(html).toContain('accounts.records: expected 8, received 7, accepted; accounts.notes: expected 2');
  expect(html).toContain('Reason: One was &lt;i&gt;late&lt;/i&gt;');
  expect(html).toContain('Opening balances');
  expect(html).toContain('Version of the notation of digests');
  expect(whole.said).toContain('Manifest a1b2: 2 totals different.');
  expect(whole.said).toContain('Opening balances of 0 accounts: 0 in total');
});

test('another key, a changed certificate and one without a signature do not', async () => {
  const jws = await key.sign(content);
  const other = generateKeyPairSync('ed25519');
  const foreign = await openCertificateKeys(other.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const keys = JSON.stringify(key.publicKeys[0]);
  expect(await verify(jws, JSON.stringify({ keys: foreign.publicKeys }))).toMatchObject({
    status: 1,
    said: expect.stringContaining('another key'),
  });
  expect(await verify({ certificate: { ...content, different: 0 }, jws }, keys)).toMatchObject({
    status: 1,
    said: expect.stringContaining('differs from the signed one'),
  });
  const [head, , signature] = jws.split('.');
  const forged = [head, Buffer.from(JSON.stringify({ ...content, different: 0 })).toString('base64url'), signature];
  expect(await verify(forged.join('.'), keys)).toMatchObject({
    status: 1,
    said: expect.stringContaining('does not fit'),
  });
  expect(await verify({ certificate: content, jws: null }, keys)).toMatchObject({
    status: 1,
    said: expect.stringContaining('not signed'),
  });
});

test('what is no Ed25519 key is refused with a sentence', async () => {
  await expect(openCertificateKeys('nothing')).rejects.toThrow('RECONCILIATION_KEY must be a private Ed25519 key');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await expect(openCertificateKeys(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())).rejects.toThrow(
    'RECONCILIATION_KEY must be a private Ed25519 key',
  );
});

test('rejects members that occur twice and signed texts that are not a whole certificate', async () => {
  const keys = JSON.stringify({ keys: key.publicKeys });
  const jws = await key.sign(content);
  const whole = JSON.stringify({ certificate: content, jws });
  const twice = `{"certificate":{"accounts":9},${whole.slice(1)}`;
  const escaped = `{"certific\\u0061te":{"accounts":9},${whole.slice(1)}`;
  for (const text of [twice, escaped]) {
    expect(await verify(text, keys)).toMatchObject({ status: 1, said: expect.stringContaining('two members') });
  }
  const { accounts: _accounts, ...lacking } = content as unknown as Record<string, unknown>;
  for (const signed of [null, [], {}, { type: content.type }, lacking]) {
    const { status, said } = await verify(await key.sign(signed as object), keys);
    expect({ status, said }).toMatchObject({ status: 1, said: expect.stringMatching(/^The signed [^\n]+\n$/) });
  }
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createSge } from '../../../src/vendors/network-operator/sge.client.ts';
import { startSgeSimulator } from '../../../src/vendors/network-operator/sge.simulator.ts';

const limits = { timeoutMs: 3_000, callsMax: 8, waitingMax: 20, failuresInARow: 50, restMs: 100 };

test('SGE: with a client certificate it is answered, without one or by another authority it is our configuration', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gangway-tls-'));
  const at = (file: string) => join(folder, file);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test authority', '-days', '2');
  for (const [name, extra] of [['server', 'subjectAltName=IP:127.0.0.1'], ['client', 'extendedKeyUsage=clientAuth']]) {
    openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`, '-addext', extra as string);
    openssl('x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-out', `${name}.pem`, '-days', '2', '-copy_extensions', 'copy');
  }
  const read = (file: string) => readFileSync(at(file), 'utf8');
  const simulator = await startSgeSimulator({ tls: { key: read('server.key'), cert: read('server.pem'), ca: read('ca.pem') } });
  const look = async (tls: { cert?: string; key?: string; ca?: string }) => {
    const client = createSge({ baseUrl: simulator.url, login: 'x', tls, limits });
    const outcome = await client.lookUp('25014987360042').then((facts) => facts['segment'], (error: Error) => error.name);
    await client.close();
    return outcome;
  };
  expect(await look({ cert: read('client.pem'), key: read('client.key'), ca: read('ca.pem') })).toBe('C5');
  expect(await look({ ca: read('ca.pem') })).toBe('VendorMisconfigured');
  expect(await look({ cert: read('client.pem'), key: read('client.key') })).toBe('VendorMisconfigured');
  await simulator.stop();
  rmSync(folder, { recursive: true });
});

import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readSettings } from '../../../src/platform/settings.ts';
import { openNetworkOperators } from '../../../src/vendors/network-operator/open.ts';
import { createSge } from '../../../src/vendors/network-operator/sge.client.ts';
import { startSgeSimulator } from '../../../src/vendors/network-operator/sge.simulator.ts';
import { makeAuthority, makeCertificate } from '../../support/certificates.ts';
import { until } from '../../support/until.ts';

const limits = { timeoutMs: 3_000, callsMax: 8, waitingMax: 20, failuresInARow: 50, openMs: 100 };

test('SGE: accepts a client certificate, and reports an expired one, or one of an unknown authority, as our misconfiguration', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gangway-tls-'));
  makeAuthority(folder, 'ca');
  makeCertificate(folder, 'server', { extension: 'subjectAltName=IP:127.0.0.1' });
  makeCertificate(folder, 'client', { extension: 'extendedKeyUsage=clientAuth' });
  makeCertificate(folder, 'expired', { extension: 'extendedKeyUsage=clientAuth', days: 0 });
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const simulator = await startSgeSimulator({
    tls: { key: read('server.key'), cert: read('server.pem'), ca: read('ca.pem') },
  });
  const look = async (tls: { cert?: string; key?: string; ca?: string }) => {
    const client = createSge({ baseUrl: simulator.url, login: 'x', tls: () => tls, limits });
    const outcome = await client.lookup('25014987360042').then(
      (facts) => facts['segment'],
      (error: Error) => error.name,
    );
    await client.close();
    return outcome;
  };
  expect(await look({ cert: read('client.pem'), key: read('client.key'), ca: read('ca.pem') })).toBe('C5');
  // The certificate of zero days expires within the second of its creation.
  await until(() => new X509Certificate(read('expired.pem')).validToDate.getTime() < Date.now());
  expect(await look({ cert: read('expired.pem'), key: read('expired.key'), ca: read('ca.pem') })).toBe(
    'VendorMisconfigured',
  );
  expect(await look({ cert: read('client.pem'), key: read('client.key') })).toBe('VendorMisconfigured');
  // The existing client uses a renewed certificate.
  let held = { cert: read('expired.pem'), key: read('expired.key'), ca: read('ca.pem') };
  const renewing = createSge({ baseUrl: simulator.url, login: 'x', tls: () => held, limits });
  await expect(renewing.lookup('25014987360042')).rejects.toMatchObject({ name: 'VendorMisconfigured' });
  held = { cert: read('client.pem'), key: read('client.key'), ca: read('ca.pem') };
  expect(await renewing.lookup('25014987360042')).toMatchObject({ segment: 'C5' });
  await renewing.close();
  await simulator.stop();
  // Without a certificate no call is made: the settings themselves are wrong.
  const { enedis } = openNetworkOperators(
    readSettings({ ENEDIS_SGE_URL: 'https://sge.example', ENEDIS_SGE_LOGIN: 'x' }),
  );
  await expect(enedis.lookup('25014987360042')).rejects.toMatchObject({
    name: 'VendorMisconfigured',
    message: expect.stringContaining('ENEDIS_SGE_CERTIFICATE'),
  });
  rmSync(folder, { recursive: true });
});

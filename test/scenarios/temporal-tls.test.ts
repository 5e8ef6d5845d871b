import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, expect, test } from '@jest/globals';
import { createLog } from '../../src/platform/log.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { openTemporalGateway } from '../../src/platform/temporal/temporal-gateway.ts';
import { temporalSecurity } from '../../src/platform/temporal/temporal-security.ts';
import { makeAuthority, makeCertificate } from '../support/certificates.ts';
import { until } from '../support/until.ts';
import { reservePort } from '../support/test-port.ts';

// The real server, behind a TLS proxy that requires a client certificate, like a server with TLS.
const log = createLog({ level: 'silent', process: 'tests' });
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

const folder: string = mkdtempSync(join(tmpdir(), 'gangway-temporal-tls-'));
for (const name of ['ca', 'other']) makeAuthority(folder, name);
makeCertificate(folder, 'server', { extension: 'subjectAltName=DNS:temporal.test' });
makeCertificate(folder, 'client', { extension: 'extendedKeyUsage=clientAuth' });
const [host, port] = (process.env['TEST_TEMPORAL_ADDRESS'] as string).split(':');
const front: Server = createServer(
  {
    key: read('server.key'),
    cert: read('server.pem'),
    ca: read('ca.pem'),
    requestCert: true,
    rejectUnauthorized: true,
    ALPNProtocols: ['h2'],
  },
  (socket) => {
    const inner = connectPlain(Number(port), host);
    for (const end of [socket, inner]) {
      end.on('error', () => {
        socket.destroy();
        inner.destroy();
      });
    }
    socket.pipe(inner).pipe(socket);
  },
);
const address: string = `127.0.0.1:${await listen(front)}`;
afterAll(() => {
  front.close();
  rmSync(folder, { recursive: true });
});

async function listen(server: Server | Http2SecureServer): Promise<number> {
  const port = await reservePort();
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return port;
}

function open(given: Record<string, string>) {
  const settings = readSettings({ TEMPORAL_ADDRESS: address, ...given });
  return openTemporalGateway({
    address: settings.TEMPORAL_ADDRESS as string,
    namespace: 'default',
    log,
    security: temporalSecurity(settings),
  });
}

const options = () => ({
  TEMPORAL_TLS: 'true',
  TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
  TEMPORAL_TLS_CA: read('ca.pem'),
  TEMPORAL_TLS_CERTIFICATE: read('client.pem'),
  TEMPORAL_TLS_KEY: read('client.key'),
});

test('reaches a server with TLS and a client certificate, which accepts a start', async () => {
  const gateway = open(options());
  await until(() => gateway.isReady());
  await gateway.close();
});

test.each([
  ['without TLS', () => ({})],
  [
    'without a client certificate',
    () => ({ TEMPORAL_TLS: 'true', TEMPORAL_TLS_SERVER_NAME: 'temporal.test', TEMPORAL_TLS_CA: read('ca.pem') }),
  ],
  ['with an authority that did not sign the server', () => ({ ...options(), TEMPORAL_TLS_CA: read('other.pem') })],
  [
    'with another name than the certificate bears',
    () => ({ ...options(), TEMPORAL_TLS_SERVER_NAME: 'elsewhere.test' }),
  ],
])('does not reach it %s', async (_case, given) => {
  let warned = false;
  const gateway = openTemporalGateway({
    address,
    namespace: 'default',
    security: temporalSecurity(readSettings(given())),
    log: {
      ...log,
      warn: () => {
        warned = true;
      },
    } as never,
  });
  await until(() => warned);
  expect(await gateway.isReady()).toBe(false);
  await gateway.close();
});

test('sends the API key with each call, by TLS only, and replaces it on the open connection', async () => {
  const authorizations = new Set<string>();
  const server = createSecureServer({ key: read('server.key'), cert: read('server.pem') }, (request, response) => {
    authorizations.add(String(request.headers.authorization));
    // Always an empty message.
    response.writeHead(200, { 'content-type': 'application/grpc', trailer: 'grpc-status' });
    response.addTrailers({ 'grpc-status': '0' });
    response.end(Buffer.alloc(5));
  });
  const port = await listen(server);
  const gateway = open({
    TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    TEMPORAL_TLS: 'true',
    TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
    TEMPORAL_TLS_CA: read('ca.pem'),
    TEMPORAL_API_KEY: 'key-of-the-cloud',
  });
  await until(() => authorizations.size > 0);
  await gateway.connected();
  expect([...authorizations]).toEqual(['Bearer key-of-the-cloud']);
  gateway.useApiKey('next-key');
  await until(async () => {
    await gateway.isReady();
    return authorizations.has('Bearer next-key');
  });
  expect(authorizations.size).toBe(2);
  await gateway.close();
  server.close();
});

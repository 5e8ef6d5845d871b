import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { UNTRUSTED } from '../../clients/typescript/src/exchange.ts';
import { isLoopbackHost } from '../foundation/loopback.ts';

/** The result of one check. */
export interface Finding {
  check: 'address' | 'dns' | 'tls' | 'service' | 'clock' | 'version' | 'key';
  state: 'ok' | 'warning' | 'failed';
  detail: string;
  remedy: string | null;
}

const TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;
const ENDS_SOON_DAYS = 14;

/** Checks that the host of an address has a network address. */
export async function examineName(url: string): Promise<Finding> {
  const host = hostOf(url);
  if (isIP(host) !== 0) return { check: 'dns', state: 'ok', detail: `${host} needs no lookup`, remedy: null };
  try {
    const found = await lookup(host, { all: true });
    return { check: 'dns', state: 'ok', detail: found.map(({ address }) => address).join(', '), remedy: null };
  } catch (error) {
    return {
      check: 'dns',
      state: 'failed',
      detail: `${host} has no address (${(error as NodeJS.ErrnoException).code}).`,
      remedy:
        'Check the spelling, and the name server of this machine. Behind a proxy set NODE_USE_ENV_PROXY=1 and HTTPS_PROXY.',
    };
  }
}

/** Checks the certificate of the service, and how long it is valid. */
export async function examineTls(url: string): Promise<Finding> {
  const { protocol, port } = new URL(url);
  const host = hostOf(url);
  if (protocol === 'http:') {
    return isLoopbackHost(host)
      ? { check: 'tls', state: 'ok', detail: 'not used on this machine', remedy: null }
      : {
          check: 'tls',
          state: 'warning',
          detail: 'Requests are not encrypted.',
          remedy: 'Use an address with https://.',
        };
  }
  const servername = isIP(host) === 0 ? { servername: host } : {};
  // Whether it is trusted is reported below, so the handshake is completed in any case.
  const socket = connect({
    host,
    port: Number(port || 443),
    ...servername,
    rejectUnauthorized: false,
    timeout: TIMEOUT_MS,
  });
  socket.once('timeout', () => socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
  try {
    await once(socket, 'secureConnect');
    const fault = socket.authorizationError as (Error & { code?: string }) | string | undefined;
    return certificateFinding(
      socket.authorized ? undefined : String(typeof fault === 'object' ? (fault.code ?? fault.message) : fault),
      new Date(socket.getPeerCertificate().valid_to),
      socket.getProtocol() ?? 'TLS',
    );
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return {
      check: 'tls',
      state: 'failed',
      detail: `No TLS connection to ${host} (${code}).`,
      remedy: code.startsWith('ERR_SSL')
        ? 'The port does not use TLS. Check the port, or use http://.'
        : 'Check address, port and firewall.',
    };
  } finally {
    socket.destroy();
  }
}

function certificateFinding(fault: string | undefined, end: Date, protocol: string): Finding {
  const until = `valid until ${end.toISOString().slice(0, 10)}`;
  if (fault !== undefined) {
    return {
      check: 'tls',
      state: 'failed',
      detail: `The certificate is not trusted (${fault}); it is ${until}.`,
      remedy:
        UNTRUSTED.test(fault) && !fault.includes('EXPIRED')
          ? 'If your own certificate authority signed it, set NODE_EXTRA_CA_CERTS to its file. Otherwise check the host name.'
          : 'Ask the operators to renew the certificate.',
    };
  }
  const endsSoon = end.getTime() - Date.now() < ENDS_SOON_DAYS * DAY_MS;
  return {
    check: 'tls',
    state: endsSoon ? 'warning' : 'ok',
    detail: `${protocol}, certificate ${until}`,
    remedy: endsSoon ? 'Ask the operators to renew the certificate.' : null,
  };
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

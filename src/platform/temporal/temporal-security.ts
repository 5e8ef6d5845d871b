import type { DataConverter } from '@temporalio/common';
import type { NativeConnectionOptions } from '@temporalio/worker';
import type { Settings } from '../settings.ts';
import { encryptedPayloads, payloadKeysIn } from './payload-codec.ts';

/** Credentials for Temporal, and encryption of payloads. */
export interface TemporalSecurity {
  connection: Pick<NativeConnectionOptions, 'tls' | 'apiKey'>;
  /** Undefined: payloads are plain JSON. */
  dataConverter: DataConverter | undefined;
}

type SecuritySettings = Pick<
  Settings,
  | 'TEMPORAL_TLS'
  | 'TEMPORAL_TLS_SERVER_NAME'
  | 'TEMPORAL_TLS_CA'
  | 'TEMPORAL_TLS_CERTIFICATE'
  | 'TEMPORAL_TLS_KEY'
  | 'TEMPORAL_API_KEY'
  | 'TEMPORAL_PAYLOAD_KEY'
>;

/** Builds the security options from the settings TEMPORAL_TLS..., TEMPORAL_API_KEY and TEMPORAL_PAYLOAD_KEY, which are validated. */
export function temporalSecurity(settings: SecuritySettings): TemporalSecurity {
  const {
    TEMPORAL_TLS_CERTIFICATE: certificate,
    TEMPORAL_TLS_KEY: key,
    TEMPORAL_TLS_CA: authority,
    TEMPORAL_TLS_SERVER_NAME: serverName,
  } = settings;
  return {
    connection: {
      ...(settings.TEMPORAL_API_KEY === undefined ? {} : { apiKey: settings.TEMPORAL_API_KEY }),
      // Explicitly false without TLS, because an API key alone would enable it.
      tls: settings.TEMPORAL_TLS
        ? {
            ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
            ...(authority === undefined ? {} : { serverRootCACertificate: Buffer.from(authority) }),
            ...(certificate === undefined || key === undefined
              ? {}
              : { clientCertPair: { crt: Buffer.from(certificate), key: Buffer.from(key) } }),
          }
        : false,
    },
    dataConverter: encryptedPayloads(payloadKeysIn(settings.TEMPORAL_PAYLOAD_KEY)),
  };
}

import { calculateJwkThumbprint, CompactSign, exportJWK, type JWK } from 'jose';
import type { CurrentSecret } from '../platform/secrets/secrets.ts';
import { readSigningKeys } from '../platform/signing-keys.ts';

/** The keys of certificates. */
export interface CertificateKeys {
  /** Signs the JSON of a certificate. @returns a compact JWS */
  sign(certificate: object): Promise<string>;
  /** The public keys for verifying certificates: first the key that signs now, then former and future ones. */
  publicKeys: JWK[];
}

/** Returns the current keys; undefined if certificates are not signed. */
export type CurrentCertificateKeys = () => Promise<CertificateKeys | undefined>;

/** Reads the keys from the setting RECONCILIATION_KEY; reloads them when it changes. */
export function followCertificateKeys(secret: CurrentSecret): CurrentCertificateKeys {
  let opened: { pem: string; keys: Promise<CertificateKeys> } | undefined;
  return async () => {
    const pem = secret.value();
    if (pem === undefined) return undefined;
    if (opened?.pem !== pem) opened = { pem, keys: openCertificateKeys(pem) };
    return opened.keys;
  };
}

/**
 * Reads the keys.
 * @param pem Ed25519 keys; the first one, in PKCS #8, signs
 * @throws Error with a readable sentence if the keys are invalid
 */
export async function openCertificateKeys(pem: string): Promise<CertificateKeys> {
  const keys = readSigningKeys(pem);
  if (keys === undefined) {
    throw new Error(
      'Setting RECONCILIATION_KEY must be a private Ed25519 key in PEM format, optionally followed by further Ed25519 keys. Create one with: openssl genpkey -algorithm ed25519.',
    );
  }
  const publicKeys = await Promise.all(
    keys.checking.map(async (key) => {
      const jwk = await exportJWK(key);
      return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'EdDSA', use: 'sig' };
    }),
  );
  const kid = publicKeys[0]?.kid as string;
  return {
    sign: (certificate) =>
      new CompactSign(new TextEncoder().encode(JSON.stringify(certificate)))
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'gangway-reconciliation+jws' })
        .sign(keys.signing),
    publicKeys,
  };
}

import { createPrivateKey, createPublicKey } from 'node:crypto';
import { calculateJwkThumbprint, CompactSign, exportJWK, type JWK } from 'jose';

/** The key that certificates are signed with. */
export interface CertificateKey {
  /** Signs a certificate: a JWS in its compact form, of its JSON. */
  sign(certificate: object): Promise<string>;
  /** The public key, by which anyone can check a certificate. */
  publicKey: JWK;
}

/**
 * Reads the key.
 * @param pem a private Ed25519 key in PKCS #8
 * @throws Error with a sentence for people where it is none
 */
export async function openCertificateKey(pem: string): Promise<CertificateKey> {
  const key = readKey(pem);
  const publicKey = await exportJWK(createPublicKey(key));
  const kid = await calculateJwkThumbprint(publicKey);
  return {
    sign: (certificate) =>
      new CompactSign(new TextEncoder().encode(JSON.stringify(certificate)))
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'gangway-reconciliation+jws' })
        .sign(key),
    publicKey: { ...publicKey, kid, alg: 'EdDSA', use: 'sig' },
  };
}

function readKey(pem: string) {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Told below, without what the library says of it.
  }
  throw new Error(
    'Setting RECONCILIATION_KEY is no private Ed25519 key in PEM form; openssl genpkey -algorithm ed25519 makes one.',
  );
}

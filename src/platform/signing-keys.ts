import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** Ed25519 keys: one signs, the others verify earlier signatures. */
export interface SigningKeys {
  signing: KeyObject;
  /** The public part of the signing key, then the others. */
  checking: KeyObject[];
}

const BLOCKS = /-----BEGIN ([A-Z ]+)-----[\s\S]*?-----END \1-----/g;

/**
 * Reads keys in PEM format. The first one is private and signs; the others, private or public, only verify.
 * @returns undefined if a key is not an Ed25519 key
 */
export function readSigningKeys(pem: string): SigningKeys | undefined {
  try {
    const blocks = [...pem.matchAll(BLOCKS)].map(([block]) => block);
    const signing = createPrivateKey(blocks[0] ?? '');
    const checking = blocks.map((block) => createPublicKey(block));
    return checking.every((key) => key.asymmetricKeyType === 'ed25519') ? { signing, checking } : undefined;
  } catch {
    return undefined;
  }
}

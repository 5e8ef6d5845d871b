import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** Ed25519 keys: one signs, the others verify earlier signatures. */
export interface SigningKeys {
  signing: KeyObject;
  /** The public key of the one that signs, then the others. */
  checking: KeyObject[];
}

const BLOCKS = /-----BEGIN ([A-Z ]+)-----[\s\S]*?-----END \1-----/g;

/**
 * Reads keys in PEM form. The first is private and signs; those behind it, private or public, only check.
 * @returns undefined if one of them is not such a key
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

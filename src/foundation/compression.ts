/** First bytes of compressed content, none of which start valid UTF-8 or JSON. A skippable zstd frame begins with any of 0x50 to 0x5f. */
const FIRST_BYTES = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['zstd', [0x50, 0x2a, 0x4d, 0x18], 0xf0],
] as const;
export type Compression = (typeof FIRST_BYTES)[number][0];

/** Number of bytes that identify the format. */
export const SIGNATURE_BYTES = 4;

/**
 * Identifies the compression of content.
 * @param start its first bytes, `SIGNATURE_BYTES` if there are that many
 * @returns undefined if the content is not compressed with gzip or zstd
 */
export function compressionOf(start: Uint8Array): Compression | undefined {
  return FIRST_BYTES.find(([, bytes, firstMask = 0xff]) =>
    bytes.every((byte, at) => ((start[at] ?? 0) & (at === 0 ? firstMask : 0xff)) === byte),
  )?.[0];
}

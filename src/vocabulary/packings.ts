/** How packed content begins. No text does: none of it is UTF-8. */
const FIRST_BYTES = { gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] } as const;
export type Packing = keyof typeof FIRST_BYTES;

/** So many bytes tell a packing. */
export const PACKING_BYTES = Math.max(...Object.values(FIRST_BYTES).map(({ length }) => length));

/**
 * Tells how content is packed.
 * @param start its first bytes, `PACKING_BYTES` where there are so many
 * @returns undefined when the content begins as no packing does
 */
export function packingOf(start: Uint8Array): Packing | undefined {
  const packings = Object.entries(FIRST_BYTES) as [Packing, readonly number[]][];
  return packings.find(([, bytes]) => bytes.every((byte, at) => start[at] === byte))?.[0];
}

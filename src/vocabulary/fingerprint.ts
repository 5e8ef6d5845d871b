/** FNV-1a as 128 bits in hex: one pass from each end. Workflow code cannot use node:crypto. */
export function fingerprint(text: string): string {
  const PRIME = 0x00000100000001b3n;
  const MASK = 0xffff_ffff_ffff_ffffn;
  let forward = 0xcbf29ce484222325n;
  let backward = 0x84222325cbf29ce4n;
  for (let index = 0; index < text.length; index += 1) {
    forward = ((forward ^ BigInt(text.charCodeAt(index))) * PRIME) & MASK;
    backward = ((backward ^ BigInt(text.charCodeAt(text.length - 1 - index))) * PRIME) & MASK;
  }
  return forward.toString(16).padStart(16, '0') + backward.toString(16).padStart(16, '0');
}

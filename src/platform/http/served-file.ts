import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';

/** Compresses bytes, by the encoding of the response. */
export const compressed = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};

/** A file in memory. Each compressed form is created at its first request. */
export interface ServedFile {
  /** Hash of the content, equal in every process. */
  readonly hash: string;
  send(ctx: Context): Promise<void>;
}

/**
 * Keeps a file in memory for serving.
 * @param isForever whether the URL contains the hash, so that browsers may cache the file forever
 */
export function servedFile(
  content: string | Buffer,
  type: string,
  headers: Readonly<Record<string, string>>,
  isForever = false,
): ServedFile {
  const bytes = Buffer.from(content);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 16);
  const forms = new Map<string, Promise<Buffer>>();
  const formOf = (encoding: 'br' | 'gzip') => {
    const known = forms.get(encoding) ?? compressed[encoding](bytes);
    forms.set(encoding, known);
    return known;
  };
  return {
    hash,
    send: async (ctx) => {
      ctx.set(headers);
      ctx.set('cache-control', isForever ? 'public, max-age=31536000, immutable' : 'no-cache');
      ctx.vary('accept-encoding');
      ctx.type = type;
      const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
      // Each encoding needs its own ETag.
      ctx.etag = `${hash}-${encoding || 'identity'}`;
      ctx.status = 200;
      if (ctx.fresh) {
        ctx.status = 304;
        return;
      }
      if (encoding !== 'br' && encoding !== 'gzip') {
        ctx.body = bytes;
        return;
      }
      ctx.set('content-encoding', encoding);
      ctx.body = await formOf(encoding);
    },
  };
}

import type { Middleware } from 'koa';
import { compressed } from '../../platform/http/served-file.ts';

/** A page of fewer bytes fits into one packet. */
const BYTES_MIN = 1_400;

/**
 * Compresses pages and their parts. A page that another site has made the browser open stays uncompressed, because it may contain text of
 * that site beside personal data, which the size of the compressed page would reveal (BREACH). Form tokens differ in every response.
 */
export const compressPages: Middleware = async (ctx, next) => {
  await next();
  if (typeof ctx.body !== 'string' || ctx.response.length < BYTES_MIN) return;
  ctx.vary(['accept-encoding', 'sec-fetch-site']);
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
  const isOwn = ['same-origin', 'none'].includes(ctx.get('sec-fetch-site'));
  if (!isOwn || (encoding !== 'br' && encoding !== 'gzip')) return;
  const bytes = await compressed[encoding](Buffer.from(ctx.body));
  ctx.set('content-encoding', encoding);
  ctx.body = bytes;
};

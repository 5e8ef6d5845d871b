import type { Context } from 'koa';
import { BodyRejected } from '../../platform/http/request-bytes.ts';
import { openStreamedBody } from '../../platform/http/streamed-body.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import { accepted } from './page.ts';

/** A form with a file. */
export interface FormWithFile {
  /** The fields before the file. */
  fields: URLSearchParams;
  /** The content of the file as it arrives; empty if none was chosen. Can be read once. */
  file: AsyncIterable<Buffer>;
}

/** Most bytes of the fields with their headers. */
const FIELDS_BYTES_MAX = 65_536;
const LINE_END = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Reads the fields of a form whose last field is its only file, without reading the file.
 * @throws PageRefusal for a body of another type; BodyRejected for one that is malformed or too large; HungUp
 */
export async function readFormWithFile(ctx: Context, limitBytes: number): Promise<FormWithFile> {
  const mediaTypes = ['multipart/form-data'];
  const body = accepted(openStreamedBody(ctx, { mediaTypes, limitBytes: limitBytes + FIELDS_BYTES_MAX }));
  const [, quoted, plain] = /boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(ctx.get('content-type')) ?? [];
  const source = body[Symbol.asyncIterator]();
  const delimiter = Buffer.from(`\r\n--${quoted ?? plain}`);
  // The first delimiter has no line end before it.
  let buffer = Buffer.from('\r\n');
  let fieldBytes = 0;

  /** Yields the bytes before a mark, and skips the mark. */
  async function* before(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = buffer.indexOf(mark);
      const safe = at === -1 ? Math.max(0, buffer.length - mark.length + 1) : at;
      if (safe > 0) yield buffer.subarray(0, safe);
      buffer = buffer.subarray(at === -1 ? safe : at + mark.length);
      if (at !== -1) return;
      const next = await source.next();
      if (next.done === true) throw malformed();
      buffer = Buffer.concat([buffer, next.value]);
    }
  }
  const textBefore = async (mark: Buffer): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of before(mark)) {
      fieldBytes += chunk.length;
      if (fieldBytes > FIELDS_BYTES_MAX) throw malformed();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  };

  const fields = new URLSearchParams();
  await textBefore(delimiter);
  for (;;) {
    const isLast = (await textBefore(LINE_END)).startsWith('--');
    if (isLast) return { fields, file: noFile() };
    const head = await textBefore(HEAD_END);
    const name = /; ?name="([^"]*)"/i.exec(head)?.[1];
    if (name === undefined) throw malformed();
    if (/; ?filename/i.test(head)) return { fields, file: before(delimiter) };
    fields.append(name, await textBefore(delimiter));
  }
}

/** The file of a form without one. */
export async function* noFile(): AsyncGenerator<Buffer> {}

function malformed(): BodyRejected {
  return new BodyRejected(refuse('parse_error', { detail: 'The form is malformed or incomplete. Send it again.' }));
}

/** Reads a small file completely. */
export async function wholeFile(file: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Yields the values of NDJSON as they arrive. */
export async function* readLines<Line>(body: AsyncIterable<Uint8Array> | null): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as Line;
  }
  // Every line ends with a line feed, so the connection was cut.
  if (rest !== '') throw new Error('The response ended in the middle of a line. Read it again.');
}

/** NDJSON in chunks of bytes or strings, or one object per record. */
export type Records = Iterable<object | string | Uint8Array> | AsyncIterable<object | string | Uint8Array>;

/** Writes records as NDJSON. */
export async function* writeLines(records: Records): AsyncGenerator<Buffer> {
  for await (const record of records) {
    if (record instanceof Uint8Array) yield Buffer.from(record);
    else yield Buffer.from(typeof record === 'string' ? record : `${JSON.stringify(record)}\n`);
  }
}

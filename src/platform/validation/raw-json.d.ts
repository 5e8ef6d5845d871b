/** A number whose text is preserved because a double would change it (ECMAScript proposal, in Node 22 and later). */
interface RawJSON {
  readonly rawJSON: string;
}

interface JSON {
  rawJSON(text: string): RawJSON;
  isRawJSON(value: unknown): value is RawJSON;
}

/**
 * A sentence of the support site in French. `{name}` is a value, as in the English sentence. Two sentences are those for a `count` below 2, which is
 * singular in French, and for others.
 */
export type FrenchSentence = string | readonly [one: string, many: string];

/** The names of the values of a sentence: `count` of `{count} accounts`. */
export type ValuesOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ValuesOf<Rest>
  : never;

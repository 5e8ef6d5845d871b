import { Type } from 'typebox';

/** Common types of settings. */
export const setting = {
  port: (description: string, port: number) =>
    Type.Integer({ description, default: port, minimum: 0, maximum: 65_535 }),
  text: (description: string, example: string) =>
    Type.Optional(Type.String({ description, examples: [example], minLength: 1 })),
  secret: (name: string, description: string, example: string) =>
    Type.Optional(
      Type.String({
        description: `${description} Or ${name}_FILE: path of a file that holds it.`,
        examples: [example],
        minLength: 1,
      }),
    ),
  address: (description: string, example: string) =>
    Type.Optional(Type.String({ description, examples: [example], pattern: '^https?://[^/]' })),
  count: (description: string, count: number, minimum = 1, maximum?: number) =>
    Type.Integer({ description, default: count, minimum, ...(maximum === undefined ? {} : { maximum }) }),
};

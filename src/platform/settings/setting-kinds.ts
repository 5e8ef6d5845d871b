import { Type } from 'typebox';

/** Marks secrets. A symbol, because validators reject unknown keywords. */
export const SECRET: unique symbol = Symbol('secret');

/** Types of settings. */
export const setting = {
  count: (description: string, count: number, minimum = 1, maximum?: number) =>
    Type.Integer({ description, default: count, minimum, ...(maximum === undefined ? {} : { maximum }) }),
  flag: (description: string) => Type.Boolean({ description, default: false, examples: ['true'] }),
  port: (description: string, port: number) =>
    Type.Integer({ description, default: port, minimum: 0, maximum: 65_535 }),
  optionalPort: (description: string, example: number, minimum = 0) =>
    Type.Optional(Type.Integer({ description, examples: [example], minimum, maximum: 65_535 })),
  preset: (description: string, value: string, example: string, form: { minLength?: 1; pattern?: string } = {}) =>
    Type.String({ description, default: value, examples: [example], ...form }),
  text: (description: string, example: string, form: { minLength: 1 } | { pattern: string } = { minLength: 1 }) =>
    Type.Optional(Type.String({ description, examples: [example], ...form })),
  address: (description: string, example: string) => setting.text(description, example, { pattern: '^https?://[^/]' }),
  /** A text that may also be given as a file. */
  secret: (description: string, example: string) =>
    Object.assign(setting.text(description, example), { [SECRET]: true as const }),
};

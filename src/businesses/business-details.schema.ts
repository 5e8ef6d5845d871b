import { Type } from 'typebox';
import { list, requiredKey, requiredText } from '../platform/validation/field-types.schema.ts';

/** Further data of a business, under keys that the client chooses. */
export const businessDetailsSchema = list(Type.Object({ key: requiredKey(64), value: requiredText(255) }));

import { Type } from 'typebox';
import { list, requiredKey, requiredText } from '../platform/validation/field-types.schema.ts';

/** What is known of a business beside its named fields: keys and values of the client's own choice. */
export const businessDetailsSchema = list(Type.Object({ key: requiredKey(64), value: requiredText(255) }));

import { Ajv, _, type KeywordCxt } from 'ajv';
import isEmailModule from 'validator/lib/isEmail.js';
import { hasInvisible } from '../../vocabulary/invisible-characters.ts';
import { tableOf } from '../../foundation/table.ts';
import {
  isHourOfDay,
  decimalFault,
  hasControlCharacter,
  isContainedDocumentPath,
  isDay,
  isInstant,
} from '../../vocabulary/wire-forms.ts';

/** Ajv stops after this number of errors, which limits time and memory for hostile input. */
export const FAULTS_COLLECTED_MAX = 2_000;

// The package is CommonJS, but its types describe an ES module: the import is the function itself.
const isEmail = isEmailModule as unknown as (text: string) => boolean;

/** Form of most addresses. The package accepts all of them too (test/rules), but takes twenty times as long. */
const USUAL_EMAIL =
  /^[a-z\d_+-]{1,20}(?:\.[a-z\d_+-]{1,20}){0,2}@(?:[a-z\d]{1,30}(?:-[a-z\d]{1,30})?\.){1,2}[a-z]{2,24}$/i;

/** Whether the package accepts a string as an e-mail address; additionally rejects invisible characters. */
export function isEmailAddress(text: string): boolean {
  // Unpaired surrogates have their own violation code, and the package throws on them.
  return USUAL_EMAIL.test(text) || (text.isWellFormed() && !hasInvisible(text) && isEmail(text));
}

/** Formats of strings. All accept the empty string; `minLength` rejects it where it is not allowed (`blank`). */
const formats = tableOf<(text: string) => boolean>({
  date: isDay,
  'date-time': isInstant,
  decimal: (text) => decimalFault(text) === undefined,
  'document-path': isContainedDocumentPath,
  email: isEmailAddress,
  'hour-of-day': isHourOfDay,
  key: (text) => !hasControlCharacter(text) && !hasInvisible(text),
  'no-control-characters': (text) => !hasControlCharacter(text),
});

/** Creates the Ajv instance for all payload schemas: strict, all errors, with our formats and keywords. */
export function createAjv(): Ajv {
  // `verbose` adds value and schema node to each error, from which codes and details are derived.
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    discriminator: true,
    verbose: true,
    messages: false,
    // Optimized code takes twice as long to compile and is not faster.
    code: { optimize: false },
  });
  for (const [name, isValid] of formats) {
    ajv.addFormat(name, { type: 'string', validate: (text: string) => text === '' || isValid(text) });
  }
  ajv.addKeyword({ keyword: 'opaque', schemaType: 'boolean' });
  ajv.addKeyword({ keyword: 'valueSet', schemaType: 'string' });
  ajv.addKeyword({ keyword: 'openEnd', schemaType: 'boolean' });
  ajv.addKeyword({ keyword: 'faultCode', schemaType: 'string' });
  ajv.addKeyword({ keyword: 'rangeDetail', schemaType: 'string' });
  ajv.addKeyword({ keyword: 'refusedChoices', schemaType: 'object' });
  ajv.addKeyword({
    keyword: 'money',
    schemaType: 'object',
    type: ['number', 'string'],
    errors: false,
    validate: isMoney,
  });
  ajv.addKeyword({ keyword: 'faultCap', schemaType: 'number', code: stopAtFaultCap });
  return ajv;
}

/** The keyword `money`. An empty string counts as absent. */
function isMoney(limits: { decimalPlacesMax?: number }, value: number | string): boolean {
  return value === '' || decimalFault(value, limits.decimalPlacesMax) === undefined;
}

/** The keyword `faultCap`: returns from the generated function after enough errors. */
function stopAtFaultCap({ gen, it, schema }: KeywordCxt): void {
  gen.if(_`errors >= ${schema as number}`, () => {
    gen.assign(_`${it.validateName}.errors`, _`vErrors`);
    gen.return(false);
  });
}

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

/** Ajv stops looking once it has found this many faults, so that hostile input costs bounded time and memory. */
export const FAULTS_COLLECTED_MAX = 2_000;

// The package is CommonJS and its types describe an ES module: at run time the import is the function itself.
const isEmail = isEmailModule as unknown as (text: string) => boolean;

/** What most addresses look like: the package takes all of these as well (test/rules), but needs twenty times as long for each. */
const USUAL_EMAIL =
  /^[a-z\d_+-]{1,20}(?:\.[a-z\d_+-]{1,20}){0,2}@(?:[a-z\d]{1,30}(?:-[a-z\d]{1,30})?\.){1,2}[a-z]{2,24}$/i;

/** Whether a text is an e-mail address to the package, without invisible characters, which it accepts. */
export function isEmailAddress(text: string): boolean {
  // Half of a surrogate pair has a violation code of its own, and the package throws at it.
  return USUAL_EMAIL.test(text) || (text.isWellFormed() && !hasInvisible(text) && isEmail(text));
}

/** The forms of texts. An empty text passes everywhere: where it is not wanted, `minLength` says so (`blank`). */
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

/** Makes the Ajv instance that all payload schemas are compiled with: strict, all faults, our formats and keywords. */
export function createAjv(): Ajv {
  // `verbose` puts value and schema node into each error, which is what codes and sentences are made from.
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    discriminator: true,
    verbose: true,
    messages: false,
    // Optimized code takes twice the time to compile and is not faster.
    code: { optimize: false },
  });
  for (const [name, isValid] of formats) {
    ajv.addFormat(name, { type: 'string', validate: (text: string) => text === '' || isValid(text) });
  }
  ajv.addKeyword({ keyword: 'opaque', schemaType: 'boolean' });
  ajv.addKeyword({ keyword: 'valueSet', schemaType: 'string' });
  ajv.addKeyword({ keyword: 'openEnd', schemaType: 'boolean' });
  ajv.addKeyword({ keyword: 'faultCode', schemaType: 'string' });
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

/** The keyword `money`; an empty text is an absent amount. */
function isMoney(limits: { decimalPlacesMax?: number }, value: number | string): boolean {
  return value === '' || decimalFault(value, limits.decimalPlacesMax) === undefined;
}

/** The keyword `faultCap`: leaves the whole generated function when enough faults were found. */
function stopAtFaultCap({ gen, it, schema }: KeywordCxt): void {
  gen.if(_`errors >= ${schema as number}`, () => {
    gen.assign(_`${it.validateName}.errors`, _`vErrors`);
    gen.return(false);
  });
}

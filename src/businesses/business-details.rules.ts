import { listOf, membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { spreadsheetHint } from '../vocabulary/spreadsheet-damage.ts';
import { violation, violationSentences, type Path, type Violation } from '../vocabulary/violations.ts';

const LA_POSTE_SIREN = '356000000';
const LA_POSTE_HEAD_OFFICE = '35600000000048';
const SIREN_LENGTH = 9;

/** The SIRET as it is stored: without the blanks and dots that people write between its groups. */
export function normalSiret(text: string): string {
  return text.replace(/[\s.]/g, '');
}

/**
 * Whether a SIRET is valid: 14 digits with valid Luhn sums of all and of the first nine (the SIREN). For the branches of La Poste
 * the sum of the digits is a multiple of five instead.
 */
export function isSiret(text: string): boolean {
  const siret = normalSiret(text);
  if (!/^[0-9]{14}$/.test(siret) || luhnSum(siret.slice(0, SIREN_LENGTH)) % 10 !== 0) return false;
  // The check digits of zeros fit.
  if (/^0{9}/.test(siret)) return false;
  if (siret.startsWith(LA_POSTE_SIREN) && siret !== LA_POSTE_HEAD_OFFICE) return digitSum(siret) % 5 === 0;
  return luhnSum(siret) % 10 === 0;
}

/** The sum of Luhn's scheme: from the right, every second digit counts double, less nine when it has two digits. */
function luhnSum(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const weighted = index % 2 === 0 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum;
}

/** The plain sum of the digits. */
function digitSum(digits: string): number {
  let sum = 0;
  for (const digit of digits) sum += Number(digit);
  return sum;
}

/**
 * Validates `siret` and `details` of a business: the SIRET, each key once, a SIREN that matches the SIRET.
 * @param business the object as sent, of any type
 * @param path of the business in the payload
 */
export function findBusinessDetailViolations(business: unknown, path: Path): Violation[] {
  const found: Violation[] = [];
  const { siret: sentSiret, details } = membersIn(business);
  const siret = textOf(sentSiret);
  const hasGoodSiret = siret !== '' && isSiret(siret);
  if (siret !== '' && !hasGoodSiret) {
    const detail = violationSentences.invalid_siret + spreadsheetHint(siret.replace(/\s/g, ''), 14);
    found.push(violation('invalid_siret', [...path, 'siret'], detail));
  }
  const keys = new Set<string>();
  for (const [index, item] of listOf(details).entries()) {
    const key = textOf(membersIn(item)['key']);
    const value = normalSiret(textOf(membersIn(item)['value']));
    if (key !== '' && keys.has(key)) {
      found.push(violation('children_with_duplicate_values', [...path, 'details', index, 'key']));
    }
    keys.add(key);
    const isSiren = key.toLowerCase() === 'siren' && value !== '';
    if (isSiren && hasGoodSiret && value !== normalSiret(siret).slice(0, SIREN_LENGTH)) {
      found.push(violation('siren_mismatch', [...path, 'details', index, 'value']));
    }
  }
  return found;
}

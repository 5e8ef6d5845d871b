/** How spreadsheets write numbers of twelve or more digits: 2.5E+13. */
const SCIENTIFIC = /^\d(?:[.,]\d+)?E[+-]\d{2,3}$/i;
/** Cells that a spreadsheet shows for a formula without a result, or for a column that is too narrow. */
const CELL_ERROR = /^#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|VALEUR!|NOM\?|NOMBRE!|NUL!|#+)$/i;
const DATE_SERIAL = /^[1-7]\d{4}(?:\.\d+)?$/;
/** Days from day 0 of spreadsheets to 1970-01-01. */
const SERIAL_EPOCH_DAYS = 25_569;
const DAY_MS = 86_400_000;

/** Returns whether a string is a number in scientific notation, as spreadsheets write long identifiers. */
export function isScientific(text: string): boolean {
  return SCIENTIFIC.test(text);
}

/** Returns whether a string is what a spreadsheet shows instead of a value, such as `#N/A`. */
export function isCellError(text: string): boolean {
  return CELL_ERROR.test(text);
}

/**
 * Explains what a spreadsheet probably did to a rejected number.
 * @param digitsDue expected number of digits; one digit less may be a lost zero
 * @returns a sentence with a leading space; empty if nothing indicates a spreadsheet
 */
export function spreadsheetHint(text: string, digitsDue?: number): string {
  if (isScientific(text)) {
    return ' This is scientific notation: a spreadsheet has probably shortened the number. Send all its digits as text.';
  }
  return digitsDue !== undefined && text.length === digitsDue - 1 && /^\d+$/.test(text)
    ? ` It has ${text.length} digits: a spreadsheet has probably removed the leading zero.`
    : '';
}

/** The same for a date: spreadsheets store 2024-01-01 as 45292. */
export function dateSerialHint(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !DATE_SERIAL.test(text)) return '';
  const day = new Date((Math.floor(Number(text)) - SERIAL_EPOCH_DAYS) * DAY_MS).toISOString().slice(0, 10);
  return ` This looks like the number that a spreadsheet stores for ${day}.`;
}

import { NON_FIELD_ERRORS, type Path } from './violations.ts';

/**
 * Accepted input that the sender should check. Unlike a violation, it does not cause a refusal. Codes are stable, details are not;
 * docs/suppliers/rules.md#warnings explains each.
 */
export interface Warning {
  /** The message, for people. */
  detail: string;
  code: WarningCode;
  /** Dot-separated path to the input, as in a violation. */
  attr: string;
}

/** Maximum number of warnings in a response. */
export const WARNINGS_LISTED_MAX = 1_000;

/** All codes of `warnings[].code`, with their details. */
export const warningSentences = {
  unknown_member: 'The member is unknown and was dropped.',
  unknown_value: 'The value is unknown. It was kept as sent because the operators have opened this set of values.',
  replacement_character:
    'The text contains U+FFFD, which replaces a character that was lost when the text was converted.',
  possible_spreadsheet_damage: 'The value looks as if a spreadsheet had changed it.',
  business_contract_not_yet_known:
    'No business of this import supplier has a contract with this identifier yet. The account can be created when the contract exists.',
  payment_preference_unresolved: 'The payment preference names an instruction that is not active on this account.',
  supply_point_on_another_account:
    'The supply point is on another active account. Its switch is requested only after the operators have decided.',
  payment_instruction_on_another_account: 'The payment instruction is also active on another account.',
  known_with_other_content:
    'The account already has an item with this id and different content. The stored item was not changed.',
  other_data_staged:
    'After this line, another job or request staged different data for this account, and the account was created from that data.',
  transaction_dates_moved: 'Transaction dates outside the open statement period were changed to a day inside it.',
  billed_date_in_future: 'The account is billed up to a date in the future. The open statement period starts after it.',
} as const satisfies Record<string, string>;

export type WarningCode = keyof typeof warningSentences;

/**
 * Creates a warning.
 * @param path its path in the payload
 * @param more appended to the detail of the code
 */
export function warning(code: WarningCode, path: Path, more = ''): Warning {
  return {
    detail: more === '' ? warningSentences[code] : `${warningSentences[code]} ${more}`,
    code,
    attr: path.length === 0 ? NON_FIELD_ERRORS : path.join('.'),
  };
}

/** The member `warnings` of a response; omitted if there are no warnings. */
export function warningsOf(warnings: readonly Warning[]): { warnings?: readonly Warning[] } {
  return warnings.length === 0 ? {} : { warnings: warnings.slice(0, WARNINGS_LISTED_MAX) };
}

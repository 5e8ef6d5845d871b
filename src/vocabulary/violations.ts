/** A fault of one field in a request. Violations are data, never exceptions: a response lists all of them. Codes are stable, details are not. */
export interface Violation {
  /** What is wrong and how to correct it, for people. */
  detail: string;
  code: ViolationCode;
  /** Dot-separated path to the input; numeric parts are zero-based array indexes. */
  attr: string;
}

/** Path of a fault in a payload; `attr` is its string form. */
export type Path = readonly (string | number)[];

/** `attr` of a fault that concerns no single field. */
export const NON_FIELD_ERRORS = 'non_field_errors';

/** Maximum number of violations in a response; beyond it `truncated: true` is set. */
export const VIOLATIONS_LISTED_MAX = 1_000;

/** All codes of `errors[].code`, with their default details. */
export const violationSentences = {
  // Format of a value (conventions of Django REST framework, which suppliers' clients know).
  required: 'This field is required.',
  null: 'This field may not be null. Omit it instead.',
  blank: 'This field may not be blank.',
  invalid: 'The value has the wrong type or format.',
  invalid_choice: 'The value is not one of the allowed choices.',
  not_a_list: 'A list of items is expected.',
  not_a_dict: 'An object with free members is expected.',
  empty: 'This list may not be empty.',
  min_length: 'The value is too short.',
  max_length: 'The value is too long.',
  min_value: 'The number is too small.',
  max_value: 'The number is too large.',
  max_string_length: 'A decimal has at most 40 characters.',
  max_digits: 'The number has more than 15 significant digits.',
  max_decimal_places: 'The number has too many decimal places.',
  null_characters_not_allowed: 'The character U+0000 is not allowed.',
  surrogate_characters_not_allowed: 'The string contains half of a surrogate pair and is not valid Unicode.',
  unknown_member: 'There is no field with this name. A field with a similar name exists.',
  max_depth: 'The payload is nested more than 32 levels deep.',
  too_many_rows: 'The account has more than 10,000 items in all its lists together.',

  // State of referenced data.
  import_process_does_not_exist: 'No account is staged with this number. Stage the account first.',
  operations_team_name_does_not_exist:
    'There is no operations team with this name. Ask the operators for the correct name.',
  business_contract_not_found:
    'No business of this import supplier has a contract with this identifier. Import the business first.',

  // People and contact data.
  customer_given_name_required: 'A domestic customer needs a given name.',
  customer_family_name_required: 'A domestic customer needs a family name.',
  customer_with_unknown_occupier: 'An account of an unknown occupier has no customers.',
  occupier_account_with_multiple_supply_addresses: 'An account of an unknown occupier has at most one supply address.',
  date_in_future: 'The date is in the future.',
  date_too_far_ahead: 'The date is more than 366 days after today.',
  invalid_phone_number:
    'The phone number is not valid. Send a national French number, or an international one with +, such as +262 ... for La Réunion.',

  // Business.
  managed_accounts_are_not_allowed: 'Managed accounts cannot be imported.',
  business_fields_provided_for_domestic_accounts: 'Only business accounts have this field.',
  business_field_required: 'A business account needs a business contract or a SIRET.',
  children_with_duplicate_values: 'The same key occurs more than once.',
  invalid_siret: 'The SIRET is not valid. It has 14 digits with valid check digits.',
  siren_mismatch: 'The SIREN is not the first nine digits of the SIRET.',
  duplicate_contract_identifiers: 'The same contract identifier occurs more than once.',
  contract_with_identifier_exists:
    'The import supplier already has a business contract with this identifier. Choose another one, or omit the contract if it is the same.',
  differs_from_stored: 'The stored business has a different value for this field.',
  contract_versions_does_not_include_current:
    'The earliest version must apply from the day on which the contract becomes valid.',

  // Supply.
  duplicate_supply_addresses_found: 'The same supply address occurs more than once.',
  invalid_prm: 'A PRM has 14 digits.',
  invalid_pce: 'A PCE has 14 digits, or GI and six digits.',
  duplicate_meter_points_on_different_supply_addresses_provided: 'The same supply point occurs more than once.',
  start_date_later_than_end_date: 'The start is after the end.',
  start_date_same_as_end_date: 'The start and the end are the same day.',
  gaps_or_overlaps_in_agreement_dates: 'The agreement overlaps another one of the same supply point.',

  supply_point_not_found: 'No supply point of the payload has this identifier.',

  // Payment.
  zero_payment_schedule_amount: 'The amount of a payment schedule may not be zero.',
  invalid_payment_day_for_payment_schedule: 'The day of the month must be between 1 and 31.',
  payment_schedule_date_overlaps: 'Another payment schedule of the supply point starts on the same day.',
  fields_are_mutually_exclusive: 'This field is not allowed for this type.',
  active_new_payment_preference_invalid_instruction_identifier:
    'No payment instruction of this supply point has this vendor and reference.',

  invalid_payment_instruction: 'This payment vendor does not support instructions of this type.',

  // Transactions.
  duplicate_transaction_ids: 'The same transaction_id occurs more than once in the request.',
  transaction_in_future: 'The transaction is in the future.',
  transaction_date_outside_open_statement_period: 'The transaction is in a closed statement period.',
  incorrect_line_item_net_amount:
    'The net amount differs by more than 0.02 from the number of units times the price per unit.',
  ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount:
    'The amount does not equal the sum of the net amounts and the taxes.',

  // Attachments and others.
  note_body_or_document_path_not_found: 'A note needs a body or a document.',
  note_unpin_at_earlier_than_creation_date:
    'unpin_at must not be before created_at, or before now if created_at is omitted.',
  historical_statement_already_exists: 'The account already has a statement with this statement_id. Omit it.',
  path_does_not_exist_in_file_store: 'There is no document at this path. Store it first, or correct the path.',
  document_path_outside_root: "The document path leads outside the import supplier's document root.",
  duplicate_ledger_entries_found: 'The same entry occurs more than once.',
  duplicate_account_campaigns: 'The same campaign occurs more than once.',
  metadata_has_duplicate_keys: 'The same metadata key occurs more than once.',
  unique: 'The same value occurs more than once.',
} as const satisfies Record<string, string>;

export type ViolationCode = keyof typeof violationSentences;

/**
 * Creates a violation.
 * @param path of the fault; empty for the payload as a whole
 * @param detail replaces the default detail of the code
 */
export function violation(code: ViolationCode, path: Path, detail: string = violationSentences[code]): Violation {
  return { detail, code, attr: path.length === 0 ? NON_FIELD_ERRORS : path.join('.') };
}

/** A name chosen by a client, limited in length and made valid Unicode, for use in `attr`. */
export function shownName(name: string): string {
  return name.slice(0, 64).toWellFormed();
}

import type { LineFaultCode } from './import-jobs.ts';
import type { RefusalCode } from './refusals.ts';
import type { ViolationCode } from './violations.ts';
import type { WarningCode } from './warnings.ts';

/**
 * What to do about a code, for the code's page. The catalogues have the sentences; this is what more there is to know.
 * test/openapi asks for each code.
 */
export const refusalRemedies: Readonly<Partial<Record<RefusalCode, string>>> = {
  account_failed_validation:
    'Correct every place listed in errors and send the account again. All faults are listed at once, so one round is enough.',
  validation_failed: 'Correct every place listed in errors and send the request again.',
  parse_error:
    'Build the body with a JSON library and send it as UTF-8. The detail names line, column and cause of the fault.',
  unknown_query_parameter:
    'Correct the name, or leave the parameter out; the detail names those that the operation takes. Nothing was done.',
  invalid_idempotency_key:
    'Send a key of 1 to 255 visible ASCII characters, best a random UUID, once: Idempotency-Key: 0199f0de-7c1a-7000-8000-000000000001. The same in double quotes is the same key. Nothing was done.',
  idempotency_key_in_use:
    'Wait as many seconds as Retry-After says, then send the same request with the same key: it gets the answer of the first one. If the process that worked on it was lost, the request is worked on anew after a minute; nothing is done twice.',
  idempotency_key_reused:
    'The key belongs to a request with another path, query or body, byte for byte. Send the first request again to get its answer; give the other one a key of its own. Nothing was done.',
  account_import_process_already_imported:
    'Nothing to do: the account exists under service_account_number. What comes later is attached by notes, transactions, statements and payment instructions.',
  import_process_marked_to_skip:
    'Operators marked this account so that it is not imported. Ask them for the reason; they can unmark it.',
  import_supplier_migration_not_ongoing:
    'Wait until the operators have resumed the import supplier. What is staged stays; what is created goes on.',
  import_process_failed_validation:
    'The staged data was valid when it was staged, under other rules or before something it refers to was gone. Correct it, stage it again, then create.',
  dry_run_succeeded: 'Nothing to correct: send the same request without dry_run to create the account.',
  business_already_exists:
    'Send the business as it was stored to get its id. To add contracts use business-contracts/create.',
  last_operator_key:
    'Issue another operator key with the scope all, see that it works, then revoke this one. Without any, a new one is made on the database by the command key create.',
  payment_vendor_rejected:
    'The member reason says why: for example not_found, cancelled, expired. Correct vendor, reference or type, or set up a new instruction with the customer. A refusal is repeated for ten minutes; after them the vendor is asked again.',
  payment_vendor_unreachable:
    'The vendor was asked for a day without a result; the member reason holds the class of its last failure. Ask the operators, then send the same request again: the vendor is asked again.',
  payment_instruction_in_use:
    'One mandate or card pays for the accounts of one import supplier only. Set up a new instruction with the customer, or correct the reference. If it is right, ask the operators: the other account must get another instruction first.',
  import_job_not_open:
    'A part is replaced by another content only before the start. Cancel the job and make a new one, or send what is left in another job. A job that takes what is staged has no parts.',
  reconciliation_not_completed:
    'Look at its status: wait while it is RUNNING; one that is CANCELLED has no certificate, so start another one.',
  erasure_must_wait:
    'Pause the import jobs that the detail names, or wait for their end; of a staged account that is being created, wait until it is. Then send it again.',
  import_job_parts_missing:
    'Parts are numbered from 1 without a gap. Upload those that the member missing_parts lists, then start the job again.',
  import_job_ended: 'Read its results; lines that failed or were not reached go into a new job.',
  not_authenticated:
    'Obtain a token by the mutation obtainToken of POST /graphql/ and send it as Authorization: Token <ACCESS_TOKEN>.',
  authentication_failed:
    'Tokens live 60 minutes. Obtain a new one with the refresh token or the API key; if that fails too, the key was revoked: ask the operators.',
  permission_denied:
    'Operator calls need a key with the role operator and a scope that allows them: read allows what only shows, operate allows what operators do by day and no keys, people, suppliers, teams or limits, market_messages allows to hand in market messages, all allows everything. A restricted key makes no calls for suppliers.',
  not_found:
    'Check the path, the import supplier and the numbers in it. What a key may not see looks exactly like what does not exist.',
  account_not_found:
    'Create the account first by account-import-process/process/; staging alone is not enough. Check supplier and number.',
  business_not_found: 'Create the business first by business/, under the same import supplier and identifier.',
  import_job_not_found:
    'Check the job_id, and that the key may import for the import supplier of the job. The list of jobs shows those that the key may see.',
  reconciliation_not_found:
    'Check the reconciliation_id, and that the key may import for its import supplier. One that another organisation or an operator started is not shown.',
  method_not_allowed: 'Use one of the methods that the header Allow lists.',
  not_acceptable: 'Send Accept: application/json, or leave the header out.',
  request_too_large:
    'Split what can be split, for example contracts over several calls of business-contracts/create. The detail names the limit.',
  unsupported_media_type: 'Send Content-Type: application/json. Bodies may be compressed with gzip, deflate or br.',
  throttled: 'Wait as many seconds as Retry-After says, then send the same request. Fewer requests at once avoid it.',
  error:
    'Send the same request once more. If it stays, report the request_id; nothing more is needed to find it in our logs.',
  payment_vendor_unavailable:
    'Send the same request again later: the verification continues, and its result is then returned immediately. It cannot double the instruction.',
  service_unavailable:
    'Send the same request again after Retry-After. Nothing was started, unless the member outcome is unknown: then transactions with check_previously_added=false and batches of supply points may be doubled, if no Idempotency-Key was sent.',
  account_quarantined:
    'Ask the operators, and quote the account number. Once they have corrected the cause, the account is created automatically and `import.account.created.v1` reports it. You may also stage the account with less or other data and create it again. A dry run that gets this code has changed nothing.',
  creation_pending:
    'Send the same request again after Retry-After: it finds the account, or the creation that is under way, or begins it. Do not wait for the account without sending again: where Temporal did not answer, nothing may be under way. It cannot double the account.',
};

export const violationRemedies: Readonly<Partial<Record<ViolationCode, string>>> = {
  unknown_member:
    'Correct the name to the one in the detail, or remove the member. Nothing was done: creating an account rejects a name that is nearly right, so that a misspelled dry_run creates no account.',
  required: 'Send the field. A field that is not wanted is left out only where it is optional.',
  null: 'Leave the field out instead of sending null.',
  blank: 'Send a value that is more than blanks.',
  invalid:
    'The detail says which type or form is due: numbers and booleans are no texts, days are YYYY-MM-DD, instants carry Z or an offset.',
  invalid_choice:
    'Send one of the values that the detail lists; capitals matter. For an import supplier: use a code that your key may import for.',
  not_a_list: 'Put the items into a JSON array, also when there is only one.',
  not_a_dict: 'Send a JSON object; its members are free.',
  empty: 'Send at least one item.',
  min_length: 'Send more characters or items; the detail names the least number.',
  max_length: 'Shorten the text or the list; the detail names the largest number.',
  min_value: 'Send a larger number; the detail names the least one.',
  max_value: 'Send a smaller number; the detail names the largest one.',
  max_digits: 'Round the number to 15 significant digits.',
  max_string_length:
    'Write the decimal with at most 40 characters: no zeros before the number and none behind its last digit.',
  max_decimal_places:
    'Round the number to the decimal places that the field takes: two in amounts of money that changes hands, 12 elsewhere.',
  null_characters_not_allowed: 'Remove U+0000 from the text; it often comes from fixed-width exports.',
  surrogate_characters_not_allowed:
    'The text was cut in the middle of a character or decoded wrongly; read the source as UTF-8.',
  max_depth: 'Flatten what is nested more than 32 levels deep.',
  too_many_rows:
    'Send at most 10,000 items in all lists of an account together; attach notes and statements after it is created.',
  import_process_does_not_exist:
    'Stage the account first by account-import-process/create-or-update/, under the same supplier and number.',
  operations_team_name_does_not_exist: 'Ask the operators for the name of the team, or let them make it.',
  business_contract_not_found:
    'Create the business with this contract first; business_contract_identifier must equal the identifier of one of its contracts.',
  customer_given_name_required: 'Send given_name, or set account_type if this is no household.',
  customer_family_name_required: 'Send family_name, or set account_type if this is no household.',
  customer_with_unknown_occupier: 'Leave customers out, or set unknown_occupier to false.',
  occupier_account_with_multiple_supply_addresses: 'Send one account per supply address while the occupier is unknown.',
  date_in_future: 'Send a day that is not after today in France.',
  date_too_far_ahead:
    'Send a day at most 366 days after today; is the year right? The open statement period begins after it, so later transactions would all be moved to other days.',
  invalid_phone_number:
    'Send a number that exists in the numbering plan: 06 12 34 56 78 or +33612345678; 0692 12 34 56 or +262692123456 overseas. Leave out or send an empty text when there is none.',
  managed_accounts_are_not_allowed: 'Managed accounts are set up by the operators.',
  business_fields_provided_for_domestic_accounts: 'Set account_type to BUSINESS, or leave the field out.',
  business_field_required: 'Send business.business_contract_identifier or business.siret.',
  children_with_duplicate_values: 'Send each key once.',
  invalid_siret: 'Check the 14 digits for a typing error. Blanks and dots between the groups are fine.',
  siren_mismatch: 'Send the first nine digits of the SIRET, or correct the SIRET.',
  duplicate_contract_identifiers: 'Give each contract an identifier of its own.',
  contract_with_identifier_exists:
    'Identifiers are unique per import supplier. Choose another, or leave the contract out if it is stored already.',
  differs_from_stored: 'Send the value that was stored, or keep the business as it is.',
  contract_versions_does_not_include_current: 'The earliest applicable_at_date must equal valid_from_date.',
  duplicate_supply_addresses_found: 'Send one supply address with all its supply points.',
  invalid_prm: 'Send the 14 digits of the PRM as a text, leading zeros included.',
  invalid_pce: 'Send the 14 digits of the PCE as a text, or GI and six digits.',
  duplicate_meter_points_on_different_supply_addresses_provided:
    'Send each supply point once, at the address where it is.',
  start_date_later_than_end_date: 'Exchange the two days or correct one of them.',
  start_date_same_as_end_date: 'effective_to is exclusive: it is the first day on which the agreement no longer holds.',
  gaps_or_overlaps_in_agreement_dates:
    'End the earlier agreement (effective_to) on or before the day on which the later one begins. Gaps are accepted.',
  supply_point_not_found: 'Name a supply point of the same payload, or of the account that something is attached to.',
  zero_payment_schedule_amount: 'Leave the amount out, or send one that is greater than zero.',
  invalid_payment_day_for_payment_schedule: 'Send a day from 1 to 31.',
  payment_schedule_date_overlaps:
    'Give each schedule of a supply point a start_date of its own; it holds until the next one begins.',
  fields_are_mutually_exclusive: 'Leave instruction_reference_params out for PASSIVE.',
  active_new_payment_preference_invalid_instruction_identifier:
    'vendor_name and vendor_reference must equal vendor and reference of a payment instruction of that supply point. Use ACTIVE_EXISTING for one that exists already.',
  invalid_payment_instruction:
    'GOCARDLESS and SLIMPAY hold DIRECT_DEBIT only; STRIPE and ADYEN hold CARD and DIRECT_DEBIT.',
  note_body_or_document_path_not_found: 'Send a body that is not empty, or at least one document path.',
  document_path_outside_root:
    'Send a path relative to the document root: no whole address, no part that is . or .., no backslash, nothing encoded, no characters that look like dots.',
  duplicate_ledger_entries_found: 'Send each ledger code once, with all its cheques.',
  duplicate_account_campaigns: 'Send each campaign once.',
  metadata_has_duplicate_keys: 'Send each key once; a value may be any object.',
  unique: 'Send each value once.',
  duplicate_transaction_ids: 'Give each transaction of the request an id of its own.',
  transaction_in_future:
    'Send a date that is not after today in France, or let force_add_to_current_statement move it.',
  transaction_date_outside_open_statement_period:
    'Send a date inside the open statement period, or let force_add_to_current_statement move it.',
  incorrect_line_item_net_amount:
    'net_amount must equal number_of_units times price_per_unit within 0.005; leave the price out if it is not exact.',
  ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount:
    'The amount must equal all net amounts and taxes together, to the cent.',
  note_unpin_at_earlier_than_creation_date:
    'Send an unpin_at that is not before created_at (not before now, where created_at is left out), or leave it out.',
  historical_statement_already_exists:
    'Leave the statements out that the account has already; the others can then be added.',
  path_does_not_exist_in_file_store:
    'Put the document into the store first, or correct the path; it is relative to the root of the import supplier.',
};

/** What to do about a warning; each has one. */
export const warningRemedies: Readonly<Record<WarningCode, string>> = {
  unknown_member:
    'Correct the name if the detail shows a known one, or remove the member. Its value was not stored. Send an account again under the correct name before it is created; send notes, transactions, statements or contracts again only if nothing else has stored them yet.',
  business_contract_not_yet_known:
    'Import the business with this contract before the account is created, or correct business.business_contract_identifier. Creating the account is refused until the contract is there.',
  billed_date_in_future:
    'Check the year. If the day is right, nothing is to be done: transactions before it are moved into the open statement period, or refused, as their request says.',
  unknown_value:
    'Check the spelling. If the value is right, nothing is to be done; the detail says what it has no effect on.',
  transaction_dates_moved:
    'If the dates should stay, send the transactions of an account before its historical statements, or send force_add_to_current_statement=false so that such dates are rejected. Transactions that are stored keep the changed date; ask the operators to correct them.',
  payment_preference_unresolved:
    'Send the instruction with payment-instruction/create/ once the account is created, or correct vendor_name and vendor_reference before it is. The preference is resolved as soon as such an instruction is in force.',
  supply_point_on_another_account:
    'Check the identifier. If the point is right, there is nothing to do: the account is created, and the operators decide about the switch of this point.',
  known_with_other_content:
    'Compare the two. If the new one is right, send it under an id of its own, or have the operators correct the account; nothing of it was added.',
  other_data_staged:
    'Compare the account with the line. If the line was right, tell the operators: a created account is not replaced. Let one job or one system at a time send an account.',
  payment_instruction_on_another_account:
    'Check the reference. Two accounts of one customer may share a mandate or a card; nothing is refused.',
};

/** What to do about a fault that only lines of import jobs have; each has one. */
export const lineFaultRemedies: Readonly<Record<LineFaultCode, string>> = {
  duplicate_in_job:
    'Nothing is to be done if the lines say the same. Otherwise send the right one in a new job: it replaces what was staged, as long as the account is not created.',
  quarantined:
    'Nothing is to be sent again: the account is created once its cause is gone, and the line then counts as succeeded. Ask the operators if it stays.',
};

/** What to do about a code of any catalogue; empty where there is nothing to say. */
export function remedyOf(code: string): string {
  for (const remedies of [refusalRemedies, violationRemedies, warningRemedies, lineFaultRemedies]) {
    if (Object.hasOwn(remedies, code)) return (remedies as Readonly<Record<string, string>>)[code]!;
  }
  return '';
}

/** Where a code of any catalogue is explained; relative to the address of the service. */
export function pageOfCode(code: string): string {
  return `/docs/codes/${code}/`;
}

import type { LineFaultCode } from './import-jobs.ts';
import type { RefusalCode } from './refusals.ts';
import type { ViolationCode } from './violations.ts';
import type { WarningCode } from './warnings.ts';

/** What to do about each code, for its page, in addition to the catalogs' sentences. test/openapi requires an entry for each code. */
export const refusalRemedies: Readonly<Partial<Record<RefusalCode, string>>> = {
  account_failed_validation:
    'Correct every field listed in errors and send the account again. One response lists all errors.',
  validation_failed: 'Correct every field listed in errors and send the request again.',
  parse_error:
    'Build the body with a JSON library and send it as UTF-8. A part of an import job has one JSON object per line. The detail names the line, the column and the cause.',
  unknown_query_parameter:
    'Correct the name or omit the parameter. The detail lists the parameters of the operation. Nothing was changed.',
  invalid_idempotency_key:
    'Send one key of 1 to 255 visible ASCII characters, preferably a random UUID: Idempotency-Key: 0199f0de-7c1a-7000-8000-000000000001. Double quotes around it are ignored. Nothing was changed.',
  idempotency_key_in_use:
    'Wait for the number of seconds in Retry-After, then send the same request with the same key to get the first response. If the process that handled it was lost, the request is handled again after a minute; nothing is done twice.',
  idempotency_key_reused:
    'The key belongs to a request with a different path, query or body (compared byte by byte). Send the first request again to get its response, and use a new key for the other one. Nothing was changed.',
  account_import_process_already_imported:
    'No action is needed: the account exists under service_account_number. Add later data as notes, transactions, statements and payment instructions.',
  import_process_marked_to_skip:
    'Operators marked this account to be skipped. Ask them for the reason; they can remove the mark.',
  import_supplier_migration_not_ongoing:
    'Wait until the operators resume the import supplier. Staged data is kept, and created accounts are not affected.',
  import_process_failed_validation:
    'The data was valid when it was staged, but the rules have changed since, or data that it refers to was removed. Correct it, stage it again, then create the account.',
  dry_run_succeeded: 'Nothing to correct: send the same request without dry_run to create the account.',
  business_already_exists:
    'Send the stored values of the business to get its id. To add contracts, use business-contracts/create.',
  last_operator_key:
    'Issue another operator key with the scope `all`, check that it works, then revoke this one. If no such key is left, create one on the database with the command `key create`.',
  payment_vendor_rejected:
    'The member reason gives the cause, for example not_found, cancelled or expired. Correct vendor, reference or type, or set up a new instruction with the customer. The rejection is repeated for ten minutes; after that, the vendor is queried again.',
  payment_vendor_unreachable:
    'The vendor was queried for a day without a result. The member reason gives the class of the last failure. Ask the operators, then send the same request again; the vendor is queried again.',
  payment_instruction_in_use:
    'A mandate or card can only pay for accounts of one import supplier. Set up a new instruction with the customer, or correct the reference. If the reference is correct, ask the operators: the other account needs a different instruction first.',
  import_job_not_open:
    'Parts can only be replaced before the job starts. Cancel the job and open a new one, or send the remaining data in another job. A job that creates staged accounts has no parts.',
  wave_status_forbids:
    'Read the wave: its status says what is possible. An ended wave stays as it is; open another one.',
  wave_gate_not_passed:
    'The members `gate` and `link` name what is missing and where to see it. Repeat the request when the gate is passed.',
  manifest_differs:
    'Compare the totals that differ with your export. Cancel the job and send the missing or corrected records, or ask an operator to accept the differences.',
  manifest_not_compared: 'Read the job or the wave: its manifest shows the state and the totals that differ.',
  manifest_too_late: 'Open another wave, send its manifest, and start the jobs after that.',
  wave_plan_too_short:
    'Change the plan to a later create_until (`PATCH waves/<id>/`), or move accounts to another wave.',
  wave_changed: 'Rehearse the wave again, and ask for approval again.',
  second_person_required:
    'Ask a colleague with a key of the scope approve, or with the role operator on the support site, to decide.',
  approval_required:
    'Add the account to a wave, have the wave approved, and create the wave. Dry runs and rehearsals need no approval.',
  account_in_another_wave:
    'Move the account to this wave with a reason (`POST waves/<id>/move/`), or leave it where it is.',
  import_job_not_withdrawable:
    'Wait until the job has ended, or cancel it. The detail gives the reason. Accounts of a job whose results were deleted can be withdrawn one by one.',
  reconciliation_not_completed: 'Check its status. If it is RUNNING, wait. If it is CANCELLED, start another one.',
  erasure_must_wait:
    'Pause the import jobs that the detail names or wait until they end. If a staged account is being created, wait until that has ended. Then send the request again.',
  import_job_parts_missing:
    'Parts are numbered from 1 without gaps. Upload the parts listed in missing_parts, then start the job again.',
  import_job_ended: 'Read its results, and send failed and unprocessed lines in a new job.',
  not_authenticated:
    'Obtain a token with the mutation obtainToken of POST /graphql/ and send it as Authorization: Token <ACCESS_TOKEN>.',
  authentication_failed:
    'Tokens expire after 60 minutes. Obtain a new one with the refresh token or the API key. If that fails too, the key was revoked; ask the operators.',
  permission_denied:
    'Operator calls need a key with the role `operator` and a sufficient scope: `read` allows reading; `operate` allows daily work, but no changes of keys, people, suppliers, teams or limits; `market_messages` allows sending market messages; `all` allows everything. A key with a restricted scope cannot call the supplier API.',
  not_found:
    'Check the path, the import supplier and the numbers in it. A resource that the key has no access to looks like one that does not exist.',
  account_not_found:
    'Create the account first with account-import-process/process/; staging is not enough. Check the supplier and the number.',
  account_being_withdrawn:
    'Send the same request again after Retry-After. When the withdrawal has ended, account-import-process/process/ creates the account again, with another number; other calls return account_not_found until then.',
  business_not_found: 'Create the business first with business/, using the same import supplier and identifier.',
  import_job_not_found:
    'Check the job_id, and that the key may import for the import supplier of the job. The list of jobs contains all jobs that the key has access to.',
  reconciliation_not_found:
    'Check the reconciliation_id, and that the key may import for its import supplier. Reconciliations started by another organization or by an operator are not returned.',
  wave_not_found: 'Check the wave_id, and that the key may import for its import supplier.',
  withdrawal_not_found: 'Check the withdrawal_id, and that the key may import for its import supplier.',
  method_not_allowed: 'Use one of the methods in the Allow header.',
  not_acceptable: 'Send Accept: application/json, or omit the header.',
  request_too_large:
    'Split the data over several requests, for example contracts over several calls of business-contracts/create. The detail names the limit.',
  unsupported_media_type: 'Send Content-Type: application/json. Bodies may be compressed with gzip, deflate or br.',
  throttled:
    'Wait for the number of seconds in Retry-After, then send the same request. Send fewer requests concurrently to avoid it.',
  error:
    'Send the same request once more. If the error persists, report the request_id; it identifies the log entries.',
  payment_vendor_unavailable:
    'Send the same request again later. The verification continues, and its result is then returned immediately. The instruction is never stored twice.',
  service_unavailable:
    'Send the same request again after Retry-After. If the member outcome is absent, nothing was started. If it is `unknown`, the request may have been executed; without an Idempotency-Key, sending it again may then store transactions with check_previously_added=false and batches of supply points twice.',
  account_quarantined:
    'Ask the operators, and quote the account number. When they have corrected the cause, the account is created automatically and `import.account.created.v1` reports it. You can also stage the account with less or different data and create it again. A dry run with this code has changed nothing.',
  creation_pending:
    'Send the same request again after Retry-After: this returns the created account, joins the creation in progress, or starts one. Do not just wait: the creation may not have started. A second account is never created.',
};

export const violationRemedies: Readonly<Partial<Record<ViolationCode, string>>> = {
  unknown_member:
    'Correct the name to the one in the detail, or remove the member. Nothing was changed. Account creation rejects names similar to a known one, because a misspelled dry_run would otherwise create the account.',
  required: 'Send the field. Only optional fields may be omitted.',
  null: 'Omit the field instead of sending null.',
  blank: 'Send a value that contains more than spaces.',
  invalid:
    'The detail names the expected type or format. Do not quote numbers or booleans; write dates as YYYY-MM-DD and timestamps with Z or an offset.',
  invalid_choice:
    'Send one of the values in the detail; values are case-sensitive. For an import supplier, use a code that your key may import for.',
  not_a_list: 'Send a JSON array, even for a single item.',
  not_a_dict: 'Send a JSON object. It may have any members.',
  empty: 'Send at least one item.',
  min_length: 'Send more characters or items. The detail names the minimum.',
  max_length: 'Shorten the text or the list. The detail names the maximum.',
  min_value: 'Send a larger number. The detail names the minimum.',
  max_value: 'Send a smaller number. The detail names the maximum.',
  max_digits: 'Round the number to 15 significant digits.',
  max_string_length: 'Write the decimal with at most 40 characters, without leading or trailing zeros.',
  max_decimal_places:
    'Round the number to the decimal places that the field allows: 2 for amounts of transactions, 12 for other numbers.',
  null_characters_not_allowed: 'Remove U+0000 from the string. It often comes from fixed-width exports.',
  surrogate_characters_not_allowed:
    'The string was cut in the middle of a character or decoded incorrectly. Read the source as UTF-8.',
  max_depth: 'Flatten values that are nested more than 32 levels deep.',
  too_many_rows:
    'Send at most 10,000 items in all lists of an account together. Add notes and statements after the account is created.',
  import_process_does_not_exist:
    'Stage the account first with account-import-process/create-or-update/, using the same supplier and number.',
  operations_team_name_does_not_exist: 'Ask the operators for the name of the team, or to create it.',
  business_contract_not_found:
    'Create the business with this contract first. business_contract_identifier must equal the identifier of one of its contracts.',
  customer_given_name_required: 'Send given_name, or set account_type for a non-domestic account.',
  customer_family_name_required: 'Send family_name, or set account_type for a non-domestic account.',
  customer_with_unknown_occupier: 'Omit customers, or set unknown_occupier to false.',
  occupier_account_with_multiple_supply_addresses: 'Send one account per supply address while the occupier is unknown.',
  date_in_future: 'Send a date that is not after today in France.',
  date_too_far_ahead:
    'Send a date at most 366 days after today, and check the year. The open statement period starts after this date, so all transactions that you send afterwards would be moved into it.',
  invalid_phone_number:
    'Send a number of the numbering plan: 06 12 34 56 78 or +33612345678; 0692 12 34 56 or +262692123456 overseas. If there is no number, omit the field or send an empty string.',
  managed_accounts_are_not_allowed: 'Managed accounts are set up by the operators.',
  business_fields_provided_for_domestic_accounts: 'Set account_type to BUSINESS, or omit the field.',
  business_field_required: 'Send business.business_contract_identifier or business.siret.',
  children_with_duplicate_values: 'Send each key once.',
  invalid_siret: 'Check the 14 digits for typing errors. Spaces and dots between the groups are accepted.',
  siren_mismatch: 'Send the first nine digits of the SIRET, or correct the SIRET.',
  duplicate_contract_identifiers: 'Give each contract a unique identifier.',
  contract_with_identifier_exists:
    'Identifiers are unique per import supplier. Choose another one, or omit the contract if it is already stored.',
  differs_from_stored:
    'Send the stored value to get the id of the business. This request does not change a stored business.',
  contract_versions_does_not_include_current: 'The earliest applicable_at_date must equal valid_from_date.',
  duplicate_supply_addresses_found: 'Send one supply address with all its supply points.',
  invalid_prm: 'Send the 14 digits of the PRM as a string, including leading zeros.',
  invalid_pce: 'Send the PCE as a string: 14 digits, or GI and six digits.',
  duplicate_meter_points_on_different_supply_addresses_provided: 'Send each supply point once, at its own address.',
  start_date_later_than_end_date: 'Swap the two dates or correct one of them.',
  start_date_same_as_end_date:
    'Send an effective_to later than effective_from: effective_to is the first day after the agreement.',
  gaps_or_overlaps_in_agreement_dates:
    'End the earlier agreement (effective_to) on or before the day on which the later one starts. Gaps are accepted.',
  supply_point_not_found: 'Name a supply point of the same payload, or of the account that the request is about.',
  zero_payment_schedule_amount: 'Omit the amount, or send one that is greater than zero.',
  invalid_payment_day_for_payment_schedule: 'Send a day from 1 to 31.',
  payment_schedule_date_overlaps:
    'Give each schedule of a supply point a different start_date. A schedule applies until the next one starts.',
  fields_are_mutually_exclusive: 'Omit instruction_reference_params for PASSIVE.',
  active_new_payment_preference_invalid_instruction_identifier:
    'vendor_name and vendor_reference must equal vendor and reference of a payment instruction of that supply point. Use ACTIVE_EXISTING for an instruction that already exists.',
  invalid_payment_instruction:
    'GOCARDLESS and SLIMPAY support DIRECT_DEBIT only; STRIPE and ADYEN support CARD and DIRECT_DEBIT.',
  note_body_or_document_path_not_found: 'Send a non-empty body, or at least one document path.',
  document_path_outside_root:
    'Send a path relative to the document root: no full address, no segment . or .., no backslash, no percent-encoding, no characters that look like dots.',
  duplicate_ledger_entries_found: 'Send each ledger code once, with all its cheques.',
  duplicate_account_campaigns: 'Send each campaign once.',
  metadata_has_duplicate_keys: 'Send each key once. A value may be any object.',
  unique: 'Send each value once.',
  duplicate_transaction_ids: 'Give each transaction of the request a unique id.',
  transaction_in_future:
    'Send a date that is not after today in France, or let force_add_to_current_statement move it.',
  transaction_date_outside_open_statement_period:
    'Send a date inside the open statement period, or let force_add_to_current_statement move it.',
  incorrect_line_item_net_amount:
    'net_amount may differ by at most 0.02 from number_of_units times price_per_unit. Omit the price if it is not exact.',
  ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount:
    'The amount must equal the sum of all net amounts and taxes, to the cent.',
  note_unpin_at_earlier_than_creation_date:
    'Send an unpin_at that is not before created_at (or not before now, if created_at is omitted), or omit it.',
  historical_statement_already_exists:
    'Omit the statements that the account already has. The others can then be added.',
  path_does_not_exist_in_file_store:
    'Store the document first, or correct the path. It is relative to the document root of the import supplier.',
};

/** What to do about each warning. */
export const warningRemedies: Readonly<Record<WarningCode, string>> = {
  unknown_member:
    'Correct the name if the detail shows a known one, or remove the member. Its value was not stored. For an account, correct the member name and send the account again before it is created; send notes, transactions, statements or contracts again only if nothing else has stored them yet.',
  replacement_character:
    'Find the character in your source data, and export it as UTF-8. Send an account again before it is created.',
  possible_spreadsheet_damage:
    'Compare the value with your source data. Format such columns as text before a spreadsheet opens the file. If the value is right, there is nothing to do.',
  business_contract_not_yet_known:
    'Import the business with this contract before you create the account, or correct business.business_contract_identifier. The account cannot be created until the contract exists.',
  billed_date_in_future:
    'Check the year. If the date is correct, no action is needed: transactions before it are moved into the open statement period or rejected, depending on their request.',
  unknown_value: 'Check the spelling. If the value is correct, no action is needed; the detail describes its effect.',
  transaction_dates_moved:
    'To keep the dates, send the transactions of an account before its historical statements, or send force_add_to_current_statement=false so that such dates are rejected. Stored transactions keep the changed date; ask the operators to correct them.',
  payment_preference_unresolved:
    'Send the instruction with payment-instruction/create/ after the account is created, or correct vendor_name and vendor_reference before. The preference is resolved when such an instruction becomes active.',
  supply_point_on_another_account:
    'Check the identifier. If it is correct, no action is needed: the account is created, and the operators decide about the switch of this supply point.',
  known_with_other_content:
    'Compare your item with the stored one. If yours is correct, send it with a different id, or ask the operators to correct the account. Nothing was added.',
  other_data_staged:
    'Compare the account with the line. If the line was correct, inform the operators: a created account is not replaced. Let only one job or system at a time send an account.',
  payment_instruction_on_another_account:
    'Check the reference. Two accounts of one customer may share a mandate or a card, so nothing is rejected.',
};

/** What to do about each fault that only lines of import jobs have. */
export const lineFaultRemedies: Readonly<Record<LineFaultCode, string>> = {
  duplicate_in_job:
    'If the lines are equal, no action is needed. Otherwise send the correct one in a new job: it replaces the staged data until the account is created.',
  quarantined:
    'Do not send the line again: the account is created when the cause is corrected, and the line then counts as succeeded. If this persists, ask the operators.',
};

/** Returns what to do about a code of any catalog, or about a warning; empty for an unknown code. */
export function remedyOf(code: string, isWarning: boolean): string {
  const catalogues = isWarning ? [warningRemedies] : [refusalRemedies, violationRemedies, lineFaultRemedies];
  for (const remedies of catalogues) {
    if (Object.hasOwn(remedies, code)) return (remedies as Readonly<Record<string, string>>)[code]!;
  }
  return '';
}

/** Path of the page that explains a code. */
export function pageOfCode(code: string): string {
  return `/docs/codes/${code}/`;
}

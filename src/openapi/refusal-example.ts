import { renderRefusal } from '../platform/http/answer-refusal.ts';
import { refuse, refusals, type RefusalCode } from '../vocabulary/refusals.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';

const REQUEST_ID = '0198c0de-0000-7000-8000-000000000001';

/** Violations in the examples of refusals. */
const exampleViolations: Partial<Record<RefusalCode, Violation[]>> = {
  account_failed_validation: [
    violation('required', ['external_account_number']),
    violation('invalid_phone_number', ['customers', 0, 'landline']),
  ],
  validation_failed: [violation('blank', ['external_account_number'])],
  unknown_query_parameter: [
    violation(
      'invalid',
      ['force_add_to_curent_statement'],
      'There is no query parameter "force_add_to_curent_statement". Did you mean force_add_to_current_statement? This operation accepts check_previously_added, force_add_to_current_statement.',
    ),
  ],
  import_process_failed_validation: [violation('date_in_future', ['customers', 0, 'date_of_birth'])],
  business_already_exists: [violation('differs_from_stored', ['business', 'company_name'])],
};

/** Returns the body of a refusal as the service sends it. */
export function refusalExample(
  code: RefusalCode,
  members: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const retryAfterSeconds = refusals[code].status === 429 || refusals[code].status === 503 ? 5 : undefined;
  const refused = refuse(code, {
    violations: exampleViolations[code] ?? [],
    extras: members,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
  return renderRefusal(refused, REQUEST_ID).body;
}

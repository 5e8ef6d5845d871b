import { isJsonObject, listOf } from '../../vocabulary/loose-payload.ts';

/**
 * Fields whose value may be shown as an example and stored after the lines are deleted: codes, kinds, dates of contracts and counts.
 * Names, addresses, contact data and payment data of persons are excluded.
 */
const SHOWN = new Set([
  'account_type',
  'agreed_at',
  'applicable_at_date',
  'band',
  'bill_period_from_date',
  'bill_period_to_date',
  'billing_frequency',
  'business_type',
  'characteristic_code',
  'created_at',
  'day_of_month',
  'days',
  'effective_from',
  'effective_to',
  'end_date',
  'fee_type',
  'frequency',
  'guarantee_of_origin_percentage',
  'import_supplier',
  'import_supplier_code',
  'is_eligible',
  'is_pinned',
  'is_variable',
  'issued_date',
  'last_billed_to_date',
  'ledger_code',
  'means',
  'multiplier',
  'payment_type',
  'pays_by_direct_debit',
  'period_start_day',
  'period_start_month',
  'product_code',
  'protection_from',
  'protection_to',
  'rate_band',
  'rate_group_code',
  'reason',
  'sales_channel',
  'sales_subchannel',
  'signed_at_date',
  'slug',
  'source',
  'start_date',
  'status',
  'strategy',
  'supply_start_date',
  'supply_type',
  'tariff_code',
  'tax_type',
  'term_type',
  'transaction_date',
  'type',
  'unit_type',
  'unknown_occupier',
  'unpin_at',
  'valid_from',
  'valid_from_date',
  'valid_to',
  'vendor',
  'vendor_name',
]);

const LENGTH_MAX = 40;
/** One word, like a code or a date. Excludes full names, addresses and sentences in the wrong column. */
const ONE_WORD = /^[A-Za-z0-9_.:/+-]*$/;
/** Numbers of supply points, companies, phones and cards have seven or more digits in a row. */
const LONG_NUMBER = /\d{7}/;

/**
 * The value at a path of a line.
 * @param attr the path, as in a violation
 * @returns null if the field or the value may be personal data
 */
export function exampleValue(body: unknown, attr: string): string | null {
  const segments = attr.split('.');
  if (!SHOWN.has(segments.at(-1)!)) return null;
  let value: unknown = body;
  for (const segment of segments) {
    if (Array.isArray(value)) value = listOf(value)[Number(segment)];
    else if (isJsonObject(value) && Object.hasOwn(value, segment)) value = value[segment];
    else return null;
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null;
  const text = String(value);
  return text.length <= LENGTH_MAX && ONE_WORD.test(text) && !LONG_NUMBER.test(text) ? text : null;
}

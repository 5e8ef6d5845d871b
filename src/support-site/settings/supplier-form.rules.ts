import { supplierOptions } from '../../suppliers/supplier-options.rules.ts';

/** Prefixes of field names: the value when the page was shown, and an option. */
export const WAS = 'was.';
export const OPTION = 'option.';

/**
 * The fields that differ from those of the page, so that a form does not revert the change of another person.
 */
export function changeIn(form: URLSearchParams): Record<string, unknown> {
  const change: Record<string, unknown> = {};
  const options: Record<string, unknown> = {};
  const changed = (name: string): string | undefined => {
    const value = form.get(name);
    return value === null || value === form.get(WAS + name) ? undefined : value;
  };
  for (const name of ['name', 'status', 'document_root']) {
    const value = changed(name);
    if (value !== undefined) change[name] = value;
  }
  for (const [name, { is }] of supplierOptions) {
    const value = changed(OPTION + name);
    if (value !== undefined) options[name] = value.trim() === '' ? null : optionIn(is, value.trim());
  }
  if (Object.keys(options).length > 0) change['options'] = options;
  const reason = form.get('reason') ?? '';
  return reason === '' ? change : { ...change, reason };
}

/** An option as text of its field. */
export function optionText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}

/** Other texts are rejected by validation. */
function optionIn(is: 'flag' | 'number' | 'sets' | 'names', text: string): unknown {
  if (is === 'flag') return text === 'true' || (text === 'false' ? false : text);
  if (is === 'number') return /^\d{1,15}$/.test(text) ? Number(text) : text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What was filled in, as the body of a request has it: fields that hold something, without blanks around them. */
export function filledIn(form: URLSearchParams, names: readonly string[]): Record<string, string> {
  const fields = names.map((name) => [name, (form.get(name) ?? '').trim()] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== ''));
}

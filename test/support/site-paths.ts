import type pg from 'pg';

/** Values of path parameters, by name; for `id`, by the first segment of the path. */
const PARAMETERS = `
  select 'MANY_2' as supplier, 'MANY_2' as code, 'grdf' as operator, 'grdf' as party, 'GI10' as identifier, 'failed' as outcome, '1' as revision, '1' as difference,
    (select external_account_number from account where import_supplier = 'MANY_2' order by id desc limit 1) as external,
    (select number from account where import_supplier = 'MANY_2' order by id desc limit 1) as number,
    (select to_char(created_at, 'YYYY-MM-DD') from account order by id desc limit 1) as day,
    (select id from import_job where status = 'COMPLETED' order by id desc limit 1) as job,
    (select id from wave where status = 'PREPARING' order by id desc limit 1) as wave,
    (select batch_id from population_request limit 1) as batch,
    (select service_business_id from business where external_business_identifier = 'SHOP-50')::text as businesses,
    (select message_id from market_message where effect = 'fits-nothing' limit 1) as messages,
    (select id from reconciliation order by id desc limit 1) as reconciliation,
    (select id from withdrawal order by id desc limit 1) as withdrawal,
    (select translate(encode(convert_to(workflow_id, 'UTF8'), 'base64'), E'+/=\n', '-_') from work_item where cause is not null limit 1) as stuck,
    (select id from bulk_action order by id desc limit 1) as bulk,
    (select id from event_endpoint where import_supplier = 'MANY_2' limit 1) as endpoint,
    (select id from audit_entry where action = 'person.erased' limit 1) as receipt,
    (select id from audit_entry order by at desc limit 1) as audit`;

/** Queries of pages: each sort order, and selective filters. `<name>` is a parameter. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  '/stuck': [
    'cause=message_fits_nothing',
    ...['', '&import_supplier=MANY_2&older_than=3600', '&wave=<wave>'].map(
      (more) => `cause=market_message_fits_nothing${more}`,
    ),
  ],
  '/bulk-actions/new': ['action=dismiss&cause=market_message_fits_nothing', 'action=decide&import_supplier=MANY_2'],
  '/find': [
    ...['Family77', 'Given8+Family8', '<external>', '<number>', '%2B33610000077', 'person8%40example.org', 'SHOP-50'],
    ...['<job>', '<batch>', 'GI10'],
  ].map((typed) => `q=${typed}`),
  '/accounts': [
    'import_supplier=MANY_2',
    'status=STAGED',
    'status=REFUSED',
    'status=SKIPPED&import_supplier=MANY_1',
    'status=CREATED',
    'refusal=quarantined',
    'refusal=no_such_code',
    'switch_status=REJECTED',
    'switch_status=PENDING&import_supplier=MANY_3',
    'tariff=TARIFF-99',
    'tariff=TARIFF-7&switch_status=REJECTED&refusal=quarantined',
    'created_from=<day>&created_to=<day>',
    'staged_from=2020-01-01&status=SKIPPED&import_supplier=MANY_2',
    'created_from=2020-01-01&import_supplier=NOBODY',
    'sort=-created_at&status=STAGED',
    'sort=-staged_at&import_supplier=MANY_2',
    'sort=external_account_number&created_from=<day>',
  ],
  '/audit': [
    'actor=Ada+3',
    'action=note.pinned',
    'account=MANY_2%2F<external>',
    'action=no.such&from=<day>',
    'subject=nothing',
    'reads=yes',
  ],
  '/businesses': ['import_supplier=MANY_2', 'sort=-service_business_id'],
  '/waves': ['import_supplier=MANY_2', 'import_supplier=NOBODY', 'cursor=<wave>'],
  '/messages': ['supplier=MANY_2'],
  '/certificates': ['import_supplier=MANY_2', 'import_supplier=NOBODY', 'cursor=<reconciliation>'],
  '/certificates/:reconciliation/differences': ['cursor=10000', 'reason=known', 'path=no.such&kind=missing'],
  '/causes': ['import_supplier=MANY_2', 'import_supplier=NOBODY'],
  '/jobs/:job/records/failed': ['code=no_such_code', 'missing=yes'],
  '/events/feed': [
    'import_supplier=MANY_2',
    'import_supplier=MANY_2&external_account_number=<external>',
    'import_supplier=MANY_2&external_account_number=NOBODY&cursor=3000',
  ],
};

/** Query parameters that a page requires. */
const NEEDED: Readonly<Record<string, string>> = {
  '/stuck.csv': 'cause=market_message_fits_nothing',
  '/supply-points/points': 'operator=grdf&identifier=GI10',
};

/**
 * Reads values for path parameters from a database that `generateRows` has filled.
 * @returns a function that returns the addresses of a page; none if a parameter has no value
 */
export async function sitePaths(client: pg.Pool | pg.ClientBase): Promise<(path: string) => string[]> {
  const { rows } = await client.query<Record<string, string>>(PARAMETERS);
  const known = new Map(Object.entries(rows[0] ?? {}));
  return (path) => {
    const [, first = ''] = path.split('/');
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => (name === 'id' ? first : (name as string)));
    if (names.some((name) => !known.has(name))) return [];
    const filled = path.replaceAll(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(known.get(name === 'id' ? first : name)!),
    );
    const needed = NEEDED[path];
    return [
      needed === undefined ? filled : `${filled}?${needed}`,
      ...(QUERIES[path] ?? []).map(
        (query) => `${filled}?${query.replaceAll(/<(\w+)>/g, (_, name: string) => known.get(name)!)}`,
      ),
    ];
  };
}

/**
 * Pages of audit entries that test nothing new. Keeps one entry of each action, and one with the markup of
 * `hostile-markup.ts`.
 */
export async function furtherEntries(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from (
       select id, row_number() over (partition by action, to_jsonb(e)::text like '%class=harm%') as nth from audit_entry e
     ) numbered where nth > 1`,
  );
  return rows.map(({ id }) => `/audit/${id}`);
}

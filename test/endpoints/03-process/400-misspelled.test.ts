import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { faultsOf } from '../../support/attachments.ts';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService({ worker: true });
  token = await service.supplierToken(['SUPPLIER_FR']);
  await post('create-or-update', domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'EXT-1' }));
});
afterAll(async () => {
  await service.stop();
});

const post = (path: string, body: object) =>
  service.call('POST', `/v1/data-import/account-import-process/${path}/`, { token, body });
const create = (members: object) =>
  post('process', {
    external_account_number: 'EXT-1',
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
    ...members,
  });

test.each(['dryRun', 'dry-run', 'DRY_RUN', 'dryrun', 'dry_ru', 'dry_urn', 'isDryRun', 'dry', ' dry_run '])(
  'rejects "%s" with the name that it resembles, and creates nothing',
  async (name) => {
    const answer = await create({ [name]: true });
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(faultsOf(answer)).toEqual([`unknown_member ${name}`]);
    expect(answer.body.errors[0].detail).toContain('Did you mean dry_run?');
  },
);

test('rejects misspelled names of the other members too, together with other violations', async () => {
  const answer = await create({ operations_team_name: undefined, operationsTeamName: 'Migration', dryRun: 1 });
  expect(faultsOf(answer)).toEqual([
    'required operations_team_name',
    'unknown_member operationsTeamName',
    'unknown_member dryRun',
  ]);
});

test('warns of unknown members that resemble nothing, in a dry run and in a creation', async () => {
  const warning = expect.objectContaining({ code: 'unknown_member', attr: 'zzzzzz' });
  const dryRun = await create({ zzzzzz: 1, dry_run: true });
  expect(dryRun).toMatchObject({ status: 400, body: { code: 'dry_run_succeeded' } });
  expect(dryRun.body.warnings).toEqual([warning]);
  const created = await create({ zzzzzz: 1 });
  expect(created.status).toBe(201);
  expect(created.body.warnings).toEqual([warning]);
});

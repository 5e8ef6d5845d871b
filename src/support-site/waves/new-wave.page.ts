import { operationsTeams } from '../../access/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { openWaveForPerson } from '../../waves/index.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { form, type Field } from '../frame/forms.ts';
import { html } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import { accepted, done, handler, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { wavePath, WAVES } from '../frame/paths.ts';
import { NO_PLAN, planBodyOf, planFields } from './plan-form.ts';

export const NEW_WAVE = `${WAVES}/new`;

/** Opening a wave with a form. People who may upload records may also plan a wave. */
export const newWavePages = [
  page(NEW_WAVE, showForm, { action: 'import-job.upload' }),
  handler(NEW_WAVE, 'import-job.upload', open),
];

async function showForm(request: PageRequest): Promise<PageAnswer> {
  const teams = (await operationsTeams.all(request.database.em())).map(({ name }) => name);
  const fields: Field[] = [
    {
      label: t('Import supplier'),
      name: 'import_supplier',
      value: request.query.get('import_supplier'),
      options: await supplierCodes(request.suppliers),
      required: true,
    },
    { label: t('Name'), name: 'name', maxlength: 200, required: true },
    { label: t('Operations team'), name: 'operations_team_name', options: teams, required: true },
    ...planFields({ view: NO_PLAN }),
  ];
  const body = html`<p>
      ${t('A wave is rehearsed, approved, created and signed off as a whole. The plan can be changed later.')}
    </p>
    ${form(request, { action: NEW_WAVE, fields, button: t('New wave') })}`;
  return { title: t('New wave'), body };
}

async function open(request: PageRequest): Promise<PageAnswer> {
  const { import_supplier, name, operations_team_name, ...plan } = fieldsIn(request.form);
  const body = { import_supplier, name, operations_team_name, ...planBodyOf(NO_PLAN, plan) };
  const reply = accepted(await openWaveForPerson(request, { ...request, body }));
  const { wave_id: id } = reply.body as { wave_id: string };
  return done(wavePath(id), t('The wave is open. Upload its accounts.'));
}

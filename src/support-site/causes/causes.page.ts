import { findOpenCauses, readStagedCauses, type OpenCause } from '../../import-jobs/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { code, count, link, moment } from '../frame/cells.ts';
import { filterForm, supplierChoice } from '../frame/forms.ts';
import { html, type Part } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { accepted, page, partOrPage, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { loadedPart, nothing } from '../frame/parts.ts';
import { addressOf, CAUSES, causesPath, supplierPath } from '../frame/paths.ts';
import { causeCell, causesTable, exampleOf, fittingTable } from '../jobs/job-causes.ts';
import { recordsPath } from '../jobs/job-records.page.ts';

/** Causes over all jobs in progress, and the causes of all staged accounts of a supplier. */
export const causePages = [
  page(CAUSES, showCauses),
  page(`${CAUSES}/:supplier`, showStagedCauses),
  page(`${CAUSES}/:supplier/counted`, countStagedCauses, { isLong: true }),
];

async function showCauses(request: PageRequest): Promise<PageAnswer> {
  const { query, lists, suppliers, viewer } = request;
  const codes = await supplierCodes(suppliers);
  const supplier = query.get('import_supplier') || undefined;
  const causes = await findOpenCauses(lists, { importSupplier: supplier, viewer });
  const filter = filterForm({
    action: CAUSES,
    fields: [supplierChoice(codes, query.get('import_supplier'), t('Import supplier: all'))],
    button: t('Show'),
    more:
      supplier !== undefined &&
      codes.includes(supplier) &&
      link(causesPath(supplier), t('Causes of all staged accounts of {supplier}', { supplier })),
  });
  const body = html`${filter}
    ${
      causes.length === 0
        ? nothing(t('No record failed.'))
        : fittingTable(t('Causes by import supplier'), causes, [
            [t('Cause'), (one) => causeCell(one, request, exampleOf(one, one.importSupplier))],
            [t('Import supplier'), (one) => link(supplierPath(one.importSupplier), one.importSupplier)],
            [t('Records'), ({ records }) => count(records), 'number'],
            [t('Jobs'), jobsCell],
          ])
    }
    <p class="fine">
      ${t('Jobs that have not ended or ended in the last seven days, and those of waves that have not ended: the newest 100, and the 200 causes with most records.')}
      ${t('As of {time}.', { time: moment(request.now) })}
    </p>`;
  return { title: t('Causes'), body };
}

const JOBS_SHOWN = 3;

/** The newest jobs with a cause, each with a link to its records, and the change since the job before of the same kind and goal. */
function jobsCell({ code: cause, place, jobs }: OpenCause): Part {
  const [newest] = jobs;
  const earlier = jobs.slice(1).find(({ kind, goal }) => kind === newest?.kind && goal === newest.goal);
  const change = newest === undefined || earlier === undefined ? 0 : newest.records - earlier.records;
  const shown = jobs.slice(0, JOBS_SHOWN).map(({ id, name, kind, goal, records }) => {
    const to = place === '*' ? recordsPath(id, 'failed') : recordsPath(id, 'failed', { code: cause, place });
    return html`<p>
      ${t('{records} in {job}', { records: link(to, count(records)), job: name ?? translated(kind) })}
      <small>${translated(goal)}</small>
    </p>`;
  });
  return html`${shown}
  ${jobs.length > JOBS_SHOWN && html`<p class="fine">${t('and {count} more jobs', { count: jobs.length - JOBS_SHOWN })}</p>`}
  ${change > 0 && html`<p class="fine">${t('{count} more than in the job before', { count: change })}</p>`}
  ${change < 0 && html`<p class="fine">${t('{count} fewer than in the job before', { count: -change })}</p>`}`;
}

const supplierOf = ({ params }: PageRequest) => params['supplier'] ?? '';

/** Shows the page first, because counting a million accounts takes seconds. */
function showStagedCauses(request: PageRequest): PageAnswer {
  const supplier = supplierOf(request);
  const counted = `${causesPath(supplier)}/counted`;
  const body = html`<p>
      ${t('The known causes that block the creation of staged accounts of {supplier}. To find all causes, run a job with the goal {goal}.', { supplier, goal: code('REHEARSE') })}
      ${link(addressOf('/jobs', { import_supplier: supplier }), t('Jobs of {supplier}', { supplier }))}
    </p>
    ${loadedPart(counted, t('Open the counts on a separate page'), t('Counting; this takes several seconds for a million accounts.'))}`;
  return { title: t('Causes of {name}', { name: supplier }), body };
}

async function countStagedCauses(request: PageRequest): Promise<PageAnswer> {
  const supplier = supplierOf(request);
  const causes = accepted(await readStagedCauses(request, supplier));
  const empty = t('No cause is known. Records that failed in import jobs are listed on the pages of the jobs.');
  const body = html`${causesTable(causes, request, { supplier, empty })}
    <p class="fine">${t('Counted {time}.', { time: moment(request.now) })}</p>`;
  return partOrPage(request, t('Causes of {name}', { name: supplier }), body);
}

import { compareWithRehearsal, readRecords, type FoundJob, type RehearsalComparison } from '../../import-jobs/index.ts';
import type { Words } from '../../vocabulary/french-site.ts';
import { causeOf } from '../../import-jobs/results/cause.rules.ts';
import type { PauseReason } from '../../vocabulary/import-jobs.ts';
import { code, count, link, moment } from '../frame/cells.ts';
import { form, reason, type Field, type Form } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import type { PageRequest } from '../frame/page.ts';
import { table } from '../frame/parts.ts';
import { accountPath, jobPath } from '../frame/paths.ts';
import { causeCell, fittingTable } from './job-causes.ts';
import { recordsPath } from './job-records.page.ts';

/** A pause that a person ends: the question, and the button that continues. */
interface Question {
  asks: Words;
  button: Words;
  /** Whether the results so far are the evidence. */
  hasEvidence?: boolean;
}

const QUESTIONS: Readonly<Partial<Record<PauseReason, Question>>> = {
  canary: {
    asks: 'The canary is complete. May the job continue?',
    button: 'Approve the canary and continue',
    hasEvidence: true,
  },
  too_many_failures: {
    asks: 'The job reached its limit of failures. May it continue?',
    button: 'Accept the failures and continue',
    hasEvidence: true,
  },
  manifest_mismatch: {
    asks: 'The records differ from the manifest. May the job continue?',
    button: 'Accept the differences and continue',
  },
  key_revoked: { asks: 'The key that started the job was revoked. May the job continue?', button: 'Resume the job' },
  asked: { asks: 'The job was paused manually. May it continue?', button: 'Resume the job' },
};

/** The warning of an account whose supply point is on another account: its switch will wait for a decision. */
const CLAIM = 'supply_point_on_another_account';
/** With a larger share of failed or clashing records, the person types how many are expected. */
const HARMLESS_SHARE = 0.05;
const ACCOUNTS_SHOWN = 5;
const CAUSES_SHOWN = 10;

/** Whether a job waits for a decision. */
export function needsDecision({ job }: Pick<FoundJob, 'job'>): boolean {
  return questionOf({ job }) !== undefined;
}

function questionOf({ job: { paused_because: because } }: Pick<FoundJob, 'job'>): Question | undefined {
  return because === null ? undefined : QUESTIONS[because];
}

/** The figures of a canary, and what they come to for the whole job. */
interface Projection {
  done: number;
  /** Created records with a supply point that is also on another account. */
  claims: number;
  /** Estimate for the whole job of what has happened to some of the processed records. */
  ofAll(records: number): number;
  /** Records that are expected to fail. */
  failures: number;
  /** Whether all records are validated, so that the number of those with a cause is known. */
  isWhole: boolean;
  /** Records that are expected to fail or to clash; undefined if they are few. */
  risk: number | undefined;
}

/** Projects the results so far. Where a manifest made the job validate everything first, invalid records are known and not projected. */
function projectionOf({ job, causes }: Pick<FoundJob, 'job' | 'causes'>): Projection {
  const { accepted, succeeded, failed } = job.counts;
  const { judged, staged } = job.steps;
  const done = succeeded + failed;
  const isWhole = job.goal === 'CREATE' && job.selection === 'uploaded' && judged >= accepted;
  const invalid = isWhole ? judged - staged : 0;
  const found = causes.filter((cause) => cause.is_warning && cause.code === CLAIM);
  const claims = Math.min(
    succeeded,
    found.reduce((sum, { records }) => sum + records, 0),
  );
  const tried = done - invalid;
  const ofAll = (records: number) => (tried <= 0 ? 0 : Math.round((records / tried) * (accepted - invalid)));
  const failures = invalid + ofAll(failed - invalid);
  const isHarmless = failed + claims <= done * HARMLESS_SHARE;
  return { done, claims, ofAll, failures, isWhole, risk: isHarmless ? undefined : failures + ofAll(claims) };
}

/** The decision that a job waits for, with its evidence; empty without one. */
export async function decisionPart(found: FoundJob, request: PageRequest): Promise<Part> {
  const question = questionOf(found);
  if (question === undefined) return '';
  const { hasEvidence } = question;
  const projection = hasEvidence === true ? projectionOf(found) : undefined;
  const evidence = projection && (await evidencePart(found, projection, request));
  return html`<h2>${t('Decision')}</h2>
    <p class="flash flash-wait">
      <strong>${t(question.asks)}</strong> ${t('It waits since {time}.', { time: moment(found.pausedAt, request.now) })}
    </p>
    ${evidence}
    <div class="actions">${decisionForms(found, question, projection, request)}</div>`;
}

function decisionForms(
  { job }: FoundJob,
  { button, hasEvidence = false }: Question,
  projection: Projection | undefined,
  request: PageRequest,
): Part {
  const { job_id: id, paused_because: because, counts } = job;
  const at = jobPath(id);
  const formOf = (step: string, effect: string, more: Form) =>
    form(request, { id: step, ...more, fields: [html`<p>${effect}</p>`, ...(more.fields ?? [])] });
  const why = reason(true, t('Reason, for the audit'));
  const risk = projection?.risk;
  const rest = { count: counts.unprocessed };
  const accepts = because === 'manifest_mismatch';
  const mayContinue = accepts ? request.may('manifest.accept') : request.may('import-job.steer');
  const isWithdrawable = job.kind === 'accounts' && job.goal === 'CREATE' && counts.succeeded > 0;
  return [
    mayContinue &&
      formOf('continue', t('Processes the other {count} records.', rest), {
        title: t('Continue'),
        action: `${at}/${accepts ? 'accept-differences' : 'resume'}`,
        hidden: accepts ? {} : { seen: because },
        fields: [risk !== undefined && riskField(risk), reason(hasEvidence || accepts, why.label as string)],
        button: t(button),
      }),
    request.may('import-job.steer') &&
      formOf('cancel', t('Keeps what is done. The other {count} records stay unprocessed.', rest), {
        title: t('Cancel'),
        action: `${at}/cancel`,
        fields: [why],
        button: t('Cancel the job'),
        tone: 'danger',
        ask: t('Cancel this job? Completed records are kept; the others stay unprocessed.'),
      }),
    isWithdrawable &&
      request.may('import-job.steer') &&
      request.may('account.withdraw') &&
      formOf(
        'withdraw',
        t('Cancels the job, and leads to the preview of the withdrawal of {count} accounts.', {
          count: counts.succeeded,
        }),
        {
          title: t('Withdraw'),
          action: `${at}/cancel`,
          hidden: { next: 'withdraw' },
          fields: [why],
          button: t('Cancel and withdraw'),
          tone: 'danger',
          ask: t('Cancel this job? Nothing is withdrawn before you confirm it on the next page.'),
        },
      ),
  ];
}

function riskField(risk: number): Field {
  return {
    label: t('Type {count}, the number of records that will probably fail or need a decision', { count: risk }),
    name: 'expected',
    inputmode: 'numeric',
    required: true,
    autocomplete: 'off',
  };
}

/** Whether a person has typed the number of records that will probably fail or need a decision, where one has to. */
export function isRiskConfirmed(found: FoundJob, typed: string | undefined): boolean {
  if (questionOf(found)?.hasEvidence !== true) return true;
  const { risk } = projectionOf(found);
  return risk === undefined || typed?.replaceAll(/\D/g, '') === String(risk);
}

async function evidencePart(found: FoundJob, projection: Projection, request: PageRequest): Promise<Html> {
  const { job } = found;
  const rehearsal = job.kind === 'accounts' ? await compareWithRehearsal(request.lists, job.job_id) : undefined;
  const { records } = await readRecords(request.lists, job, { outcome: 'succeeded', after: 0, limit: ACCOUNTS_SHOWN });
  return html`${riskPart(found, projection, request)} ${figuresTable(found, projection, rehearsal)}
  ${job.kind === 'accounts' && html`<p>${rehearsalSentence(rehearsal)}</p>`}
  ${failuresTable(found, projection, rehearsal, request)}
  ${
    records.length > 0 &&
    html`<h3>
        ${t('{name}: {value}', { name: t(doneName(job)), value: link(recordsPath(job.job_id, 'succeeded'), t('all {count}', { count: job.counts.succeeded })) })}
      </h3>
      ${table(t('First succeeded records'), records, [
        [t('Line'), ({ line }) => count(line), 'number'],
        [
          t('Record'),
          ({ key }) => (key !== null && job.kind === 'accounts' ? accountLink(job.import_supplier, key) : key),
          'row',
        ],
        [t('Service number'), ({ number }) => number !== null && code(number)],
        [t('Warnings'), ({ warnings }) => warnings.map((one) => html`${code(one.code)} `)],
      ])}`
  }`;
}

const accountLink = (supplier: string, key: string) => link(accountPath(supplier, key), code(key));
const doneName = ({ goal }: FoundJob['job']) => (goal === 'CREATE' ? 'Created' : 'Succeeded');
const aboutText = (records: number) => t('about {count}', { count: records });

function riskPart({ job: { counts } }: FoundJob, { claims, risk, done }: Projection, { viewer }: PageRequest): Part {
  if (risk === undefined) return '';
  const [failed, clashing] = [
    counts.failed > 0 && t('{count} of {all} records failed.', { count: counts.failed, all: done }),
    claims > 0 &&
      t(
        '{count} of {all} accounts have a supply point that is also on another account, so that an operator must decide on each of their switches.',
        { count: claims, all: counts.succeeded },
      ),
  ];
  return html`<p class="flash flash-problem">
    <strong>${failed} ${clashing}</strong>
    ${t('If the job continues, expect about {count} such records.', { count: risk })}
    ${viewer === undefined && t('Ask the supplier first.')}
  </p>`;
}

function figuresTable(
  { job }: FoundJob,
  { done, claims, failures, ofAll }: Projection,
  rehearsal: RehearsalComparison | undefined,
): Html {
  const { accepted, succeeded, failed } = job.counts;
  const at = (outcome: 'succeeded' | 'failed', cause?: string) =>
    recordsPath(job.job_id, outcome, { code: cause ?? null });
  const rows = [
    { name: t(doneName(job)), of: succeeded, all: ofAll(succeeded), to: at('succeeded'), before: rehearsal?.succeeded },
    { name: t('Failed'), of: failed, all: failures, to: at('failed'), before: rehearsal?.failed },
    { name: t('With a supply point on another account'), of: claims, all: ofAll(claims), to: at('succeeded', CLAIM) },
  ];
  return html`<h3>
      ${t('{name}: {value}', { name: t(job.paused_because === 'canary' ? 'Canary' : 'So far'), value: t('{count} of {all} records', { count: done, all: accepted }) })}
    </h3>
    ${fittingTable(t('Figures'), rows, [
      [t('Outcome'), ({ name, to }) => link(to, name), 'row'],
      [t('Records'), ({ of }) => count(of), 'number'],
      [t('Estimate for all {count}', { count: accepted }), ({ all }) => aboutText(all), 'number'],
      rehearsal !== undefined && [
        t('Rehearsal'),
        ({ before }) => (before === undefined ? '–' : count(before)),
        'number',
      ],
    ])}`;
}

function rehearsalSentence(rehearsal: RehearsalComparison | undefined): Part {
  if (rehearsal === undefined) return t('There is no completed rehearsal of the same records to compare with.');
  const { jobId, endedAt, records, notRehearsed } = rehearsal;
  const missing = notRehearsed > 0 && t('{count} of them were not rehearsed.', { count: notRehearsed });
  const from = { rehearsal: link(jobPath(jobId), t('rehearsal')), time: moment(endedAt), count: records };
  return html`${t('Compared with the {rehearsal} of {time}: the same {count} records.', from)} ${missing}`;
}

/** What failed, and how many records failed of it in the rehearsal; also causes that are gone. */
function failuresTable(
  { job, causes }: FoundJob,
  { ofAll, isWhole }: Projection,
  rehearsal: RehearsalComparison | undefined,
  request: PageRequest,
): Part {
  const ofRehearsal = new Map(rehearsal?.causes.map((one) => [`${one.code} ${one.place}`, one]));
  const failures = causes.filter((one) => !one.is_warning).slice(0, CAUSES_SHOWN);
  const gone = (rehearsal?.causes ?? []).filter(({ now }) => now === 0);
  const rows = [...failures, ...gone.map(({ code: cause, place }) => causeOf(cause, place))];
  if (rows.length === 0) return '';
  return html`<h3>${t('What failed')}</h3>
    ${fittingTable(t('What failed'), rows, [
      [t('Cause'), (one) => causeCell(one, request)],
      [
        t('Records'),
        ({ code: cause, place, records }) =>
          records === 0 ? '0' : link(recordsPath(job.job_id, 'failed', { code: cause, place }), count(records)),
        'number',
      ],
      !isWhole && [t('Estimate'), ({ records }) => aboutText(ofAll(records)), 'number'],
      rehearsal !== undefined && [
        t('Rehearsal'),
        ({ code: cause, place }) => changeText(ofRehearsal.get(`${cause} ${place}`)),
        'number',
      ],
    ])}`;
}

function changeText(compared: RehearsalComparison['causes'][number] | undefined): string {
  const { now, before } = compared ?? { now: 0, before: 0 };
  if (before === 0) return t('new');
  if (now === 0) return t('{before}: gone', { before });
  if (now === before) return t('{before}: the same', { before });
  return now > before
    ? t('{before}: {more} more', { before, more: now - before })
    : t('{before}: {fewer} fewer', { before, fewer: before - now });
}

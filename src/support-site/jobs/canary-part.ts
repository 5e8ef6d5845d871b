import type { JobView } from '../../import-jobs/index.ts';
import type { CauseView } from '../../import-jobs/results/results.schema.ts';
import { count, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';

/** The warning of an account whose supply point is on another account: its switch will wait for a decision. */
const CLAIM = 'supply_point_on_another_account';

/** The figures of a canary, with what they come to for the whole job, and the lists of its records. */
export function canaryPart({ job, causes }: { job: JobView; causes: readonly CauseView[] }): Html {
  const { accepted, succeeded, failed } = job.counts;
  const done = succeeded + failed;
  const claims = Math.min(
    succeeded,
    causes.reduce((sum, cause) => sum + (cause.is_warning && cause.code === CLAIM ? cause.records : 0), 0),
  );
  const projected = (of: number) => (done === 0 ? 0 : Math.round((of / done) * accepted));
  const at = `/jobs/${job.job_id}/records`;
  const row = (name: string, of: number, address: string) =>
    html`<tr>
      <th scope="row"><a href="${address}">${name}</a></th>
      <td class="number">${count(of)}</td>
      <td class="number">about ${count(projected(of))}</td>
    </tr>`;
  return html`<h2>Canary: ${count(done)} of ${count(accepted)} lines</h2>
    ${
      claims > succeeded / 2 &&
      html`<p class="flash flash-problem">
        <strong
          >${count(claims)} of ${count(succeeded)} accounts have a supply point that is also on another account.</strong
        >
        Each of their switches waits for a decision by an operator. If you approve, about ${count(projected(claims))}
        accounts of this job will. Ask the supplier before you approve.
      </p>`
    }
    ${table(
      'Figures of the canary',
      ['Outcome', 'Canary', `All ${count(accepted)} lines, at this rate`],
      [
        row(job.goal === 'CREATE' ? 'Created' : 'Succeeded', succeeded, `${at}/succeeded`),
        row('Rejected', failed, `${at}/failed`),
        row('On another account', claims, `${at}/succeeded?code=${CLAIM}`),
      ],
    )}`;
}

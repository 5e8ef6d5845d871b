import type { Rejection } from '../../import-jobs/index.ts';
import { badge, count, linkAway, moment, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { SiteDeps } from '../frame/page.ts';
import { pageOfCode } from '../../vocabulary/remedies.ts';
import { placeName } from './job-records.page.ts';
import { accountPath } from '../frame/paths.ts';

/** Records that jobs have rejected, each fault with its own sentence; nothing where there are none. */
export function rejectionsPart(rejections: readonly Rejection[], { apiAddress }: Pick<SiteDeps, 'apiAddress'>): Html {
  if (rejections.length === 0) return html``;
  const rows = rejections.flatMap((one) =>
    one.errors.map(
      ({ code, attr, detail }) =>
        html`<tr>
          <td>
            <a href="/jobs/${one.jobId}">${one.jobName ?? one.jobId}</a><br />
            <small>${one.kind}, ${moment(one.startedAt)}</small>
          </td>
          <td class="number">${count(one.line)}</td>
          <td>
            <a href="${accountPath(one.importSupplier, one.key)}"><code>${one.importSupplier}/${one.key}</code></a>
          </td>
          <td>${linkAway(apiAddress(pageOfCode(code)), badge(code, 'bad'))}</td>
          <td class="place">${placeName(attr)}</td>
          <td class="advice">${detail}</td>
        </tr>`,
    ),
  );
  return html`<section>
    <h2 id="rejections">Rejected in import jobs</h2>
    ${table('Records rejected in import jobs', ['Job', 'Line', 'Record', 'Code', 'Place', 'Detail'], rows)}
  </section>`;
}

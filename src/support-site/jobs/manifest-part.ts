import type { Words } from '../../vocabulary/french-site.ts';
import type { ManifestView } from '../../import-jobs/manifest/manifest-view.rules.ts';
import { badge, code, moment } from '../frame/cells.ts';
import { html, type Html } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import { table } from '../frame/parts.ts';

const STATES: Readonly<Record<ManifestView['state'], readonly [Words, 'good' | 'plain' | 'warn']>> = {
  counting: ['counting', 'plain'],
  agrees: ['agrees', 'good'],
  differs: ['differs', 'warn'],
  accepted: ['differences accepted', 'good'],
};

/** The manifest of a job or a wave, with each total that differs; empty without one. */
export function manifestPart(manifest: ManifestView | null): Html {
  if (manifest === null) return html``;
  const { sha256, state, differences, accepted_at: at, accepted_reason: why } = manifest;
  const [words, tone] = STATES[state];
  return html`<section>
    <h2 id="manifest">${t('Manifest')}</h2>
    <p class="row">${badge(t(words), tone)} <span>SHA-256 ${code(sha256)}</span></p>
    ${at !== null && html`<p>${t('Differences were accepted {time}: {reason}', { time: moment(at), reason: why })}</p>`}
    ${
      differences.length > 0 &&
      table(t('Totals that differ'), differences, [
        [t('Total'), ({ path }) => code(path), 'row'],
        [t('Expected'), ({ expected }) => shortened(expected), 'number'],
        [t('Received'), ({ received }) => shortened(received), 'number'],
        [t('Difference'), ({ difference }) => difference ?? '–', 'number'],
      ])
    }
  </section>`;
}

const DIGEST_LENGTH = 64;
const SHOWN_LENGTH = 12;

/** A digest is recognized by its first digits. */
function shortened(value: string): string {
  return value.length === DIGEST_LENGTH ? `${value.slice(0, SHOWN_LENGTH)}…` : value;
}

import type { ManifestView } from '../../import-jobs/manifest/manifest-view.rules.ts';
import { badge, code, moment } from '../frame/cells.ts';
import { html, type Html } from '../frame/html.ts';
import { table } from '../frame/parts.ts';

const STATES: Readonly<Record<ManifestView['state'], Html>> = {
  counting: badge('counting'),
  agrees: badge('agrees', 'good'),
  differs: badge('differs', 'warn'),
  accepted: badge('differences accepted', 'good'),
};

/** The manifest of a job or a wave, with each total that differs; empty without one. */
export function manifestPart(manifest: ManifestView | null): Html {
  if (manifest === null) return html``;
  const { sha256, state, differences, accepted_at: at, accepted_reason: why } = manifest;
  return html`<section>
    <h2 id="manifest">Manifest</h2>
    <p class="row">${STATES[state]} <span>SHA-256 ${code(sha256)}</span></p>
    ${at !== null && html`<p>Differences were accepted ${moment(at)}: ${why}</p>`}
    ${
      differences.length > 0 &&
      table('Totals that differ', differences, [
        ['Total', ({ path }) => code(path), 'row'],
        ['Expected', ({ expected }) => shortened(expected), 'number'],
        ['Received', ({ received }) => shortened(received), 'number'],
        ['Difference', ({ difference }) => difference ?? '–', 'number'],
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

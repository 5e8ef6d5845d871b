import type { Claim } from '../../switching/index.ts';
import { html, type Html } from '../frame/html.ts';
import { accountPath, claimPath } from '../frame/paths.ts';

/** Links from an account to the claims that it is part of. */
export function claimLinks(claims: readonly Claim[], importSupplier: string, externalAccountNumber: string): Html {
  const rows = claims.map((claim) => {
    const isOwn =
      claim.held.importSupplier === importSupplier && claim.held.externalAccountNumber === externalAccountNumber;
    const other = isOwn ? claim.other : claim.held;
    return html`<li>
      <code>${claim.identifier}</code>
      ${other === null ? 'has ended on the other account' : html`is also on ${html`<a href="${accountPath(other.importSupplier, other.externalAccountNumber)}"><code>${other.importSupplier}/${other.externalAccountNumber}</code></a>`}`}${
        isOwn ? '; its switch is on hold here.' : ', where its switch is on hold.'
      }
      <a href="${claimPath(claim.held.importSupplier, claim.held.externalAccountNumber)}">Compare and decide</a>
    </li>`;
  });
  return rows.length === 0
    ? html``
    : html`<section>
        <h2 id="claims">Supply points on two accounts</h2>
        <ul>
          ${rows}
        </ul>
      </section>`;
}

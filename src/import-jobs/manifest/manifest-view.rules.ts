import type { ManifestState } from '../../vocabulary/import-jobs.ts';
import type { Comparison, TotalDifference } from './manifest-state.rules.ts';

/** The stored members of a manifest that responses show. */
interface ShownManifest {
  sha256: string;
  acceptedAt: Date | null;
  acceptedReason: string | null;
}

/** A compared manifest as responses show it. */
export interface ManifestView {
  sha256: string;
  state: ManifestState;
  differences: TotalDifference[];
  accepted_at: string | null;
  accepted_reason: string | null;
}

/** The view of a manifest with its comparison; null without a manifest. */
export function viewOfManifest(compared: (Comparison & { manifest: ShownManifest }) | undefined): ManifestView | null {
  if (compared === undefined) return null;
  const { manifest, state, differences } = compared;
  return {
    sha256: manifest.sha256,
    state: state === 'uncounted' ? 'counting' : state,
    differences,
    accepted_at: manifest.acceptedAt?.toISOString() ?? null,
    accepted_reason: manifest.acceptedReason,
  };
}

import type { EntityManager } from '@mikro-orm/postgresql';
import type { CitedManifest } from '../../reconciliation/cited-manifests.rules.ts';
import { compareKinds, unaccepted } from './manifest-state.rules.ts';
import { findManifestsOf } from './manifest.store.ts';

/** Most manifests that a certificate of an import supplier cites, the newest first. */
const CITED_MAX = 100;

/** Compares the manifests of a job and its wave, or of an import supplier, with the accepted records, for a certificate. */
export async function citeManifests(
  em: EntityManager,
  { importSupplier, importJobId }: { importSupplier: string; importJobId?: string | null | undefined },
): Promise<CitedManifest[]> {
  const found = await findManifestsOf(em, importJobId ? { importJobId } : { importSupplier }, CITED_MAX);
  return found.map(({ manifest, kinds, received }) => {
    const differences = compareKinds(manifest.body, received, kinds);
    const open = new Set(unaccepted(differences, manifest.acceptedDifferences));
    return {
      job_id: manifest.importJobId,
      wave_id: manifest.waveId,
      sha256: manifest.sha256,
      agrees: differences.length === 0,
      differences: differences.map((difference) => ({ ...difference, is_accepted: !open.has(difference) })),
      accepted_at: manifest.acceptedAt?.toISOString() ?? null,
      accepted_reason: manifest.acceptedReason,
    };
  });
}

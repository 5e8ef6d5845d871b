import type { TotalDifference } from '../manifest/totals.rules.ts';

/** A manifest that a certificate cites, as it was when the comparison ended. */
export interface CitedManifest {
  job_id: string | null;
  wave_id: string | null;
  sha256: string;
  agrees: boolean;
  differences: (TotalDifference & { is_accepted: boolean })[];
  /** Of the differences that an operator accepted. */
  accepted_at: string | null;
  accepted_reason: string | null;
}

import type { Settings } from '../platform/settings.ts';
import { startDocumentStoreSimulator } from './document-store/document-store.simulator.ts';
import { startIndustrySwitchSimulator } from './industry-switch/industry-switch.simulator.ts';

/** An outside party that can be simulated: the setting that holds its address, and what else the simulator goes by. */
export interface SimulatedParty {
  /** In sentences for people. */
  name: string;
  address: keyof Settings;
  /** Settings that the client needs besides the address; used where they are unset. */
  besides: Partial<Settings>;
  start(options: { host: string; port: number; dataDir?: string }): Promise<{ url: string; stop(): Promise<void> }>;
}

/** Every party that `up` simulates when no setting names the real one (design 10). */
export const simulatedParties: readonly SimulatedParty[] = [
  {
    name: 'document store',
    address: 'DOCUMENT_STORE_ENDPOINT',
    besides: { DOCUMENT_STORE_ACCESS_KEY_ID: 'simulated', DOCUMENT_STORE_SECRET_ACCESS_KEY: 'simulated' },
    start: startDocumentStoreSimulator,
  },
  { name: 'industry switch', address: 'INDUSTRY_SWITCH_URL', besides: { INDUSTRY_SWITCH_CREDENTIAL: 'simulated' }, start: startIndustrySwitchSimulator },
];

import type { Settings } from '../platform/settings.ts';
import { startDocumentStoreSimulator } from './document-store/document-store.simulator.ts';
import { startAdictSimulator } from './network-operator/adict.simulator.ts';
import { startDataConnectSimulator } from './network-operator/data-connect.simulator.ts';
import { startSgeSimulator } from './network-operator/sge.simulator.ts';

/** An outside party that can be simulated: the setting that holds its address, and what else the simulator goes by. */
export interface SimulatedParty {
  /** In sentences for people. */
  name: string;
  address: keyof Settings;
  /** Settings that the client needs besides the address; used where they are unset. */
  besides: Partial<Settings>;
  start(options: { host: string; port: number }): Promise<{ url: string; stop(): Promise<void> }>;
}

/** Every party that `up` simulates when no setting names the real one (design 10). */
export const simulatedParties: readonly SimulatedParty[] = [
  {
    name: 'document store',
    address: 'DOCUMENT_STORE_ENDPOINT',
    besides: { DOCUMENT_STORE_ACCESS_KEY_ID: 'simulated', DOCUMENT_STORE_SECRET_ACCESS_KEY: 'simulated' },
    start: startDocumentStoreSimulator,
  },
  { name: 'Enedis SGE', address: 'ENEDIS_SGE_URL', besides: { ENEDIS_SGE_LOGIN: 'simulated@gangway.example' }, start: startSgeSimulator },
  {
    name: 'Enedis Data Connect',
    address: 'ENEDIS_DATA_CONNECT_URL',
    besides: { ENEDIS_DATA_CONNECT_CLIENT_ID: 'simulated', ENEDIS_DATA_CONNECT_CLIENT_SECRET: 'simulated' },
    start: startDataConnectSimulator,
  },
  { name: 'GRDF ADICT', address: 'GRDF_URL', besides: { GRDF_CLIENT_ID: 'simulated', GRDF_CLIENT_SECRET: 'simulated' }, start: startAdictSimulator },
];

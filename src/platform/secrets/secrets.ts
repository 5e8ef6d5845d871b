import type { SecretName, Settings } from '../settings.ts';

/** A secret with its present value, which may change while the process runs. */
export interface CurrentSecret {
  /** Undefined where none is set. */
  value(): string | undefined;
  /** Looks whether its file holds another one by now; takes a second at most, and fails never. */
  readAgain(): Promise<void>;
}

/** The secrets of a process. Those that came in files are read anew when their files change. */
export interface Secrets {
  of(name: SecretName): CurrentSecret;
  /** @param listener called after secrets have changed */
  onChange(listener: () => void): void;
  close(): void;
}

/** Secrets that stay as the settings have them. */
export function fixedSecrets(settings: Partial<Pick<Settings, SecretName>>): Secrets {
  return { of: (name) => fixedSecret(settings[name]), onChange: () => {}, close: () => {} };
}

/** A secret that stays as it is. */
export function fixedSecret(value: string | undefined): CurrentSecret {
  return { value: () => value, readAgain: async () => {} };
}

/** The address of the connection that listens for notifications. */
export function listenAddress(secrets: Pick<Secrets, 'of'>): CurrentSecret {
  const own = secrets.of('DATABASE_LISTEN_URL');
  const general = secrets.of('DATABASE_URL');
  return {
    value: () => own.value() ?? general.value(),
    readAgain: async () => {
      await Promise.all([own.readAgain(), general.readAgain()]);
    },
  };
}

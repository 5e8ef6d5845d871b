import type { SecretName, Settings } from '../settings.ts';

/** A secret that may change while the process runs. */
export interface CurrentSecret {
  /** Undefined if it is not set. */
  value(): string | undefined;
  /** Reads the secret's file again. Takes at most a second and never fails. */
  readAgain(): Promise<void>;
}

/** Secrets of a process. Those in files are read again when the files change. */
export interface Secrets {
  of(name: SecretName): CurrentSecret;
  /** @param listener called after secrets have changed */
  onChange(listener: () => void): void;
  close(): void;
}

/** Secrets that keep the value in the settings. */
export function fixedSecrets(settings: Partial<Pick<Settings, SecretName>>): Secrets {
  return { of: (name) => fixedSecret(settings[name]), onChange: () => {}, close: () => {} };
}

/** A secret that does not change. */
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

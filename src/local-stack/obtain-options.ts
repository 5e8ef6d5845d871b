/** What a way to obtain the program is given. */
export interface ObtainOptions {
  version: string;
  /** Where the program is put, in one step, when it is complete. */
  target: string;
  environment: NodeJS.ProcessEnv;
  onProgress: (sentence: string) => void;
  signal?: AbortSignal;
  /** Tells whether another process has put it there meanwhile. */
  isThere: () => Promise<boolean>;
}

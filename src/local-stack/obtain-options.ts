/** Options for obtaining the program. */
export interface ObtainOptions {
  version: string;
  /** Path to which the complete program is moved in one step. */
  target: string;
  environment: NodeJS.ProcessEnv;
  onProgress: (sentence: string) => void;
  signal?: AbortSignal;
  /** Whether another process has placed it there meanwhile. */
  isThere: () => Promise<boolean>;
}

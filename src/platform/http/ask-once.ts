/**
 * Wraps a question that costs something, so that any number of callers cost what one does: it is asked once in a
 * while, never twice at a time, and everybody gets the same answer.
 * @param ask the question; a failure is an answer too, and is told to all until the time is over
 * @param everyMs how long an answer holds after it was asked for
 */
export function askOnce<T>(ask: () => Promise<T>, everyMs: number): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedAt = 0;
  let isPending = false;
  return () => {
    const now = performance.now();
    if (answer === undefined || (!isPending && now - askedAt >= everyMs)) {
      askedAt = now;
      isPending = true;
      answer = ask();
      const settle = () => {
        isPending = false;
      };
      answer.then(settle, settle);
    }
    return answer;
  };
}

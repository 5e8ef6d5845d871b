/** The opaque id of a piece of work, and back. */
export const stuckIds = {
  of: (workflowId: string): string => Buffer.from(workflowId, 'utf8').toString('base64url'),
  workflowIdIn: (id: string): string | undefined => {
    const workflowId = Buffer.from(id, 'base64url').toString('utf8');
    return workflowId !== '' && stuckIds.of(workflowId) === id ? workflowId : undefined;
  },
};

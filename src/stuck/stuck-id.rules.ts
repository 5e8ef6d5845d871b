/** Converts a workflow id to the opaque id of an item, and back. */
export const stuckIds = {
  of: (workflowId: string): string => Buffer.from(workflowId, 'utf8').toString('base64url'),
  workflowIdIn: (id: string): string | undefined => {
    const workflowId = Buffer.from(id, 'base64url').toString('utf8');
    return workflowId !== '' && stuckIds.of(workflowId) === id ? workflowId : undefined;
  },
};

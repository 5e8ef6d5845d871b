import { ApplicationFailure } from '@temporalio/common';

/** A failure like those of the activities, without a stack, which would contain paths of the recording machine. */
export const failed = (type: string): ApplicationFailure =>
  Object.assign(ApplicationFailure.create({ type, message: `stand-in of ${type}` }), { stack: '' });

import { ApplicationFailure } from '@temporalio/common';

/** A failure as the activities throw it, without the place in the code, which would be that of the recorder's machine. */
export const failed = (type: string): ApplicationFailure =>
  Object.assign(ApplicationFailure.create({ type, message: `stand-in of ${type}` }), { stack: '' });

/** The environment name that marks the processes a thread has started, and theirs in turn. */
export const childMarkName = 'PACKHOST_THREAD';

/**
 * A worker lets go of an environment before it is done. It writes nothing more about it: whatever was begun is
 * resumed or cleared away by whoever looks at the environment next.
 */
export class Abandoned extends Error {}

/** Another worker may hold the environment by now. */
export class LeaseLost extends Abandoned {
  override readonly name = 'LeaseLost'
}

/** The operation was cancelled or superseded while it was being worked on. */
export class OperationEnded extends Abandoned {
  override readonly name = 'OperationEnded'
}

/** A routine look gives way to an operation, which somebody waits for. */
export class Preempted extends Abandoned {
  override readonly name = 'Preempted'
}

/** The worker is being stopped; its leases go back, so that another need not wait for them to expire. */
export class WorkerStopping extends Abandoned {
  override readonly name = 'WorkerStopping'
}

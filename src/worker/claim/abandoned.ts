/**
 * The worker gives up an environment before its work is done, and writes nothing more about it. The next claim resumes
 * or cleans up whatever was begun.
 */
export class Abandoned extends Error {}

/** Another worker may hold the environment by now. */
export class LeaseLost extends Abandoned {
  override readonly name = 'LeaseLost'
}

/** The operation was cancelled or superseded while it ran. */
export class OperationEnded extends Abandoned {
  override readonly name = 'OperationEnded'
}

/** A routine reconcile, or work for requests, is preempted by an operation; a reconcile also by a request that waits. */
export class Preempted extends Abandoned {
  override readonly name = 'Preempted'
}

/** The worker is stopping. It hands its leases back, so that other workers need not wait for them to expire. */
export class WorkerStopping extends Abandoned {
  override readonly name = 'WorkerStopping'
}

import type { Transaction } from '../database/client.ts'

/** Notifies idle workers that an environment is due. A lost notification only costs delay: workers also poll. */
export const notifyWorkers = (tx: Transaction, appEnvId: string) =>
  tx.$executeRaw`SELECT pg_notify('berth_work', ${appEnvId})`

/** Notifies every ingress that its route table is out of date. Ingresses also poll. */
export const notifyIngresses = (tx: Transaction) => tx.$executeRaw`SELECT pg_notify('berth_routes', '')`

/** Notifies workers that a job run of the environment is due, or was cancelled. Workers also poll. */
export const notifyRuns = (tx: Transaction, appEnvId: string) =>
  tx.$executeRaw`SELECT pg_notify('berth_runs', ${appEnvId})`

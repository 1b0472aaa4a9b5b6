import type { Transaction } from '../database/client.ts'

/** Tells idle workers that an environment is due. Only a hint: they also look by themselves. */
export const notifyWorkers = (tx: Transaction, appEnvId: string) =>
  tx.$executeRaw`SELECT pg_notify('berth_work', ${appEnvId})`

/** Tells every ingress that its table is out of date. Only a hint, like the other. */
export const notifyIngresses = (tx: Transaction) => tx.$executeRaw`SELECT pg_notify('berth_routes', '')`

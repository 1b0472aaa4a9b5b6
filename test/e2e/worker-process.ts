import { join } from 'node:path'
import { BerthProcess } from '../crash/harness/process.ts'
import { freePort } from '../support/free-ports.ts'
import type { TestPlatform } from './platform.ts'

/** A worker in a process of its own, which is started again when it was killed. The platform has the other roles. */
export async function startWorker(berth: TestPlatform, settings: Record<string, string> = {}): Promise<BerthProcess> {
  const port = await freePort()
  const worker = new BerthProcess({
    name: 'worker',
    port,
    logFile: join(berth.dataDir, 'worker.log'),
    environment: {
      BERTH_ROLES: 'worker',
      DATABASE_URL: berth.databaseUrl,
      BERTH_DATA_DIR: berth.dataDir,
      BERTH_HEALTH_PORT: String(port),
      BERTH_HOST_FIREWALL: 'off',
      BERTH_RECONCILE_SECONDS: '1',
      BERTH_LEASE_SECONDS: '5',
      BERTH_LOG_LEVEL: 'warn',
      ...settings,
    },
  })
  worker.start()
  await worker.ready()
  return worker
}

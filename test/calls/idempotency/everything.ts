import { randomFrom } from '../../crash/harness/random.ts'
import { createSubject } from '../../crash/harness/subject.ts'
import type { TestCluster } from '../../crash/harness/test-cluster.ts'
import {
  boundaries,
  expiry,
  fiftyCalls,
  fiftyRefusals,
  killApis,
  type Log,
  repeats,
  stillRunning,
  waitAcrossKill,
} from './keys.ts'
import { raceVersions } from './races.ts'

/** What takes no long pause, once. */
export async function proveInShort(cluster: TestCluster, log: Log): Promise<void> {
  const subject = await createSubject(cluster, 'Keys')
  const kept = await fiftyCalls(cluster, subject, log)
  await boundaries(cluster, subject, kept, log)
  await killApis(cluster)
  await repeats(kept, 'after SIGKILL of every api process', log)
  await raceVersions(cluster, { rounds: 1, resources: ['app-env'] }, log)
}

/** All of it. Two api processes and a worker. */
export async function proveEverything(
  cluster: TestCluster,
  { rounds, seed }: { rounds: number; seed: number },
  log: Log,
): Promise<void> {
  const subject = await createSubject(cluster, 'Keys')
  const kept = await fiftyCalls(cluster, subject, log)
  await boundaries(cluster, subject, kept, log)
  await killApis(cluster)
  await repeats(kept, 'after SIGKILL of every api process', log)
  await stillRunning(cluster, subject, log)
  await waitAcrossKill(cluster, subject, log)
  await repeats(kept, 'after the worker has ended the operations', log)
  await fiftyRefusals(cluster, { rounds, random: randomFrom(seed) }, log)
  await raceVersions(cluster, { rounds, resources: ['app-env', 'app'] }, log)
  await expiry(cluster, subject, kept, log)
}

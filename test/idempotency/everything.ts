import { randomFrom } from '../crash/harness/random.ts'
import { createSubject } from '../crash/harness/subject.ts'
import type { Laboratory } from '../crash/harness/test-cluster.ts'
import {
  boundaries,
  expiry,
  fiftyCalls,
  fiftyRefusals,
  killApis,
  repeats,
  stillRunning,
  type Tell,
  waitAcrossKill,
} from './keys.ts'
import { raceVersions } from './races.ts'

/** What takes no long pause, once. */
export async function proveInShort(lab: Laboratory, tell: Tell): Promise<void> {
  const subject = await createSubject(lab, 'Keys')
  const kept = await fiftyCalls(lab, subject, tell)
  await boundaries(lab, subject, kept, tell)
  await killApis(lab)
  await repeats(kept, 'after SIGKILL of every api process', tell)
  await raceVersions(lab, { rounds: 1, resources: ['app-env'] }, tell)
}

/** All of it. Two api processes and a worker. */
export async function proveEverything(
  lab: Laboratory,
  { rounds, seed }: { rounds: number; seed: number },
  tell: Tell,
): Promise<void> {
  const subject = await createSubject(lab, 'Keys')
  const kept = await fiftyCalls(lab, subject, tell)
  await boundaries(lab, subject, kept, tell)
  await killApis(lab)
  await repeats(kept, 'after SIGKILL of every api process', tell)
  await stillRunning(lab, subject, tell)
  await waitAcrossKill(lab, subject, tell)
  await repeats(kept, 'after the worker has ended the operations', tell)
  await fiftyRefusals(lab, { rounds, random: randomFrom(seed) }, tell)
  await raceVersions(lab, { rounds, resources: ['app-env', 'app'] }, tell)
  await expiry(lab, subject, kept, tell)
}

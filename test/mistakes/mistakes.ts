import { buildMistakes } from './build-mistakes.ts'
import { deploymentMistakes } from './deployment-mistakes.ts'
import type { Mistake } from './mistake.ts'
import { startMistakes } from './start-mistakes.ts'

const ORDER = [
  'wrong token',
  'wrong image',
  'wrong port',
  'loopback only',
  'crash',
  'missing variable',
  'no Dockerfile',
  'wrong branch',
  'port taken',
  'data folder in use',
  'wrong setting',
  'engine stopped',
]

/** Twelve mistakes that beginners make. The last one leaves its Berth without an engine. */
export const MISTAKES: readonly Mistake[] = [...deploymentMistakes, ...buildMistakes, ...startMistakes].sort(
  (a, b) => ORDER.indexOf(a.title) - ORDER.indexOf(b.title),
)

/** None may take longer to be told what is wrong. */
export const MAX_SECONDS = 15

/** Settings of the Berth in which they are made, besides those of `npm start`. */
export const SETTINGS = {
  // The registries and repositories of the proof are on loopback.
  BERTH_PRIVATE_REGISTRIES: '127.0.0.1',
  BERTH_GIT_PRIVATE_HOSTS: 'true',
}

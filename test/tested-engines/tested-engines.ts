import type { DebianEngine } from './debian-engine.ts'

/** Projects of vitest.config.ts that one run of Vitest has. */
export type Part = readonly string[]

/** A container engine that the tests run on. docs/compatibility.md has what each of them lacks. */
export interface TestedEngine {
  name: string
  /** Where it comes from; null for this machine's own. */
  from: DebianEngine | null
  /** What `npm run test:all` runs on it. */
  inEveryRun: readonly Part[]
}

/** What `npm test` runs. */
export const QUICK: Part = ['quick', 'main-path']

/**
 * One after the other, because the installations that shipped tests share, with all their containers, are there until the
 * end of their run, and everything beside them takes three times as long.
 */
const ALL: readonly Part[] = [QUICK, ['long', 'proofs'], ['engine'], ['shipped'], ['shipped-apart']]

/** In the order in which they are run. Another one is another entry. */
export const TESTED_ENGINES: readonly TestedEngine[] = [
  { name: 'own', from: null, inEveryRun: ALL },
  {
    name: 'containerd',
    // As a fresh Docker 29 is set up: images in containerd's store, and no API from before Docker 25.
    from: { suite: 'sid', options: '--feature containerd-snapshotter=true', oldestApi: '1.44' },
    inEveryRun: [['main-path']],
  },
  {
    name: 'overlay2',
    from: { suite: 'sid', options: '--feature containerd-snapshotter=false' },
    inEveryRun: [['main-path']],
  },
]

/** Everything that an engine can decide. */
export const WHOLE: readonly Part[] = [['engine'], ['main-path', 'shipped']]

export const projectsOf = (part: Part): string[] => part.flatMap((project) => ['--project', project])

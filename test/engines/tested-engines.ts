import type { DebianEngine } from './debian-engine.ts'

/** A container engine that the tests run on. docs/compatibility.md has what each of them lacks. */
export interface TestedEngine {
  name: string
  /** Where it comes from; null for this machine's own. */
  from: DebianEngine | null
  /** What `npm run test:all` runs on it, as arguments of Vitest; all of the suite where it is null. */
  inEveryRun: readonly string[] | null
}

/** In the order in which they are run. Another one is another entry. */
export const TESTED_ENGINES: readonly TestedEngine[] = [
  { name: 'own', from: null, inEveryRun: null },
  {
    name: 'containerd',
    // As a fresh Docker 29 is set up: images in containerd's store, and no API from before Docker 25.
    from: { suite: 'sid', options: '--feature containerd-snapshotter=true', oldestApi: '1.44' },
    inEveryRun: ['--project', 'main-path'],
  },
  {
    name: 'overlay2',
    from: { suite: 'sid', options: '--feature containerd-snapshotter=false' },
    inEveryRun: ['--project', 'main-path'],
  },
]

/** Everything that an engine can decide. */
export const WHOLE = ['--project', 'engine', '--project', 'main-path', '--project', 'shipped']

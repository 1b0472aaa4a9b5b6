import type { TestCluster } from '../crash/harness/test-cluster.ts'

export interface ProofContext {
  cluster: TestCluster
  seed: number
  /** Concurrent first requests, random kills, sleeping functions. */
  requests: number
  rounds: number
  functions: number
  /** Where pictures are drawn. */
  folder: string
  log(line: string): void
  /** Prints the claim with its figure; a claim that does not hold fails the proof. */
  claim(holds: boolean, line: string): void
}

/** One part of `npm run prove -- functions`. */
export interface Proof {
  name: string
  run(context: ProofContext): Promise<void>
}

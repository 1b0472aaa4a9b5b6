interface Proof {
  program: string[]
  shows: string
}

export declare const PROOFS: Record<string, Proof>

export function findProof(name: string | undefined): Proof | null

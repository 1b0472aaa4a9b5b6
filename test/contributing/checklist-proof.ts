import type { ScratchCopy } from './scratch-copy.ts'

/** What the programs of the copy print once every checklist was followed. */
export interface Printed {
  sdl: string
  // biome-ignore lint/suspicious/noExplicitAny: the document is read at every depth.
  openapi: any
  /** docs/configuration.md. */
  settings: string
  migration: string
  /** docs/solutions.md. */
  solutions: string
}

/** A step that somebody forgets, and what `npm run check` says about it. */
export interface ForgottenStep {
  step: string
  forget(copy: ScratchCopy): void
  check: 'types' | 'import rules'
  says: RegExp
}

/** Follows one checklist of CONTRIBUTING.md to the letter. */
export interface ChecklistProof {
  /** Its heading. */
  heading: string
  follow(copy: ScratchCopy): void
  /** Every file that following it creates or changes by hand. */
  edits: readonly string[]
  /** Asserts what the checklist says will follow by itself. */
  expectOutcome(printed: Printed): void
  forgotten: readonly ForgottenStep[]
}

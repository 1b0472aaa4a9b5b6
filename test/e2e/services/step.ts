import type { ServiceStory } from './service-story.ts'

/** What is shared by the stories of all engines. */
export interface Surroundings {
  /** An account that has nothing to do with the story. */
  strangerId: string
  cycles: number
  /** Volumes of an account that the engine has, beside those that Berth lists. */
  leftOf(accountId: string): Promise<string[]>
}

export interface Step {
  name: string
  /** For which engines of its two `npm test` runs it: each, the first, or none. `prove:services` runs every step. */
  tested: 'EACH' | 'FIRST' | 'NONE'
  run(story: ServiceStory, surroundings: Surroundings): Promise<void>
  /** Why the step says nothing of this engine. */
  isSkipped?(story: ServiceStory): string | null
}

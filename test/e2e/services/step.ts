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
  /** Whether `npm run test:all` runs it, of one engine. `npm run prove -- services` runs every step of every engine. */
  isTested: boolean
  run(story: ServiceStory, surroundings: Surroundings): Promise<void>
  /** Why the step says nothing of this engine. */
  isSkipped?(story: ServiceStory): string | null
}

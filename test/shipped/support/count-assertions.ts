import { afterEach, expect } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** How many assertions the test made. */
    assertions?: number
  }
}

// Tests that run beside others have an `expect` of their own; the one that is imported counts for a test that is alone.
afterEach(({ task, expect: own }) => {
  const { assertionCalls: ownCalls } = own.getState()
  task.meta.assertions = task.concurrent ? ownCalls : ownCalls + expect.getState().assertionCalls
})

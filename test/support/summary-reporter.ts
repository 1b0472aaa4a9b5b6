import type { Reporter, TestModule } from 'vitest/node'

/** Ends the output with a machine-readable line: `N passed, N failed`. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    // A file that does not load has no tests that could fail, but is a failure all the same.
    const brokenModules = modules.filter((module) => module.errors().length > 0).length
    process.stdout.write(
      `${count('passed')} passed, ${count('failed') + brokenModules + unhandledErrors.length} failed\n`,
    )
  }
}

import { branchIsRefused } from '../checks/branch-is-refused.ts'
import { brokenBuildIsCounted } from '../checks/broken-build-is-counted.ts'
import type { TrustCase } from '../trust-case.ts'

/** Each returns its figure, or throws. */
const CHECKS: readonly TrustCase['run'][] = [branchIsRefused, brokenBuildIsCounted]

export const trustCase: TrustCase = {
  number: 22,
  title: 'Small gaps are closed, each',
  async run(berth) {
    const figures: string[] = []
    for (const check of CHECKS) figures.push(await check(berth))
    return figures.join('; ')
  },
}

import { appCases } from './app-cases.ts'
import { credentialCases } from './credential-cases.ts'
import { functionCases } from './function-cases.ts'
import { gitHookCases } from './git-hook-cases.ts'
import { jobCases } from './job-cases.ts'
import { lifecycleCases } from './lifecycle-cases.ts'
import { membershipCases } from './membership-cases.ts'
import type { ParityCase } from './parity-case.ts'
import { peopleCases } from './people-cases.ts'
import { planCases } from './plan-cases.ts'
import { remoteSessionCases } from './remote-session-cases.ts'
import { settingCases } from './setting-cases.ts'
import { solutionCases } from './solution-cases.ts'
import { sourceCases } from './source-cases.ts'
import { tokenCases } from './token-cases.ts'
import { usageCases } from './usage-cases.ts'
import { webhookCases } from './webhook-cases.ts'

/** Every command, accepted and refused. */
export const PARITY_CASES: readonly ParityCase[] = [
  ...appCases,
  ...lifecycleCases,
  ...peopleCases,
  ...membershipCases,
  ...tokenCases,
  ...planCases,
  ...credentialCases,
  ...settingCases,
  ...functionCases,
  ...jobCases,
  ...solutionCases,
  ...webhookCases,
  ...usageCases,
  ...gitHookCases,
  ...sourceCases,
  ...remoteSessionCases,
]

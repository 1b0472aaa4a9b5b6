import type { Config } from '../../config/config.ts'
import { type BuildLimit, type BuildLimits, buildLimitsFor, maxBuildLimits } from '../../domain/build-resources.ts'
import type { ClaimedAppEnv } from './environment-context.ts'

type Built = Pick<ClaimedAppEnv, 'app' | 'account'>

/** What a build of the environment may use, as app and plan were when its operation was claimed. */
export const buildLimitsOf = ({ app, account }: Built, config: Config): BuildLimits =>
  buildLimitsFor(app, account.plan, config)

/** For the message about an ended build: the setting that raises the limit. */
export function whatRaises(limit: BuildLimit | 'processes', { app, account }: Built, config: Config): string {
  if (limit === 'processes') return 'BERTH_BUILD_PROCESSES of the installation raises this limit'
  const { plan } = account
  const most = maxBuildLimits(plan, config)[limit]
  return buildLimitsFor(app, plan, config)[limit] < most
    ? `buildResources.${limit} of the app raises this limit, up to ${most}`
    : `buildResources.${limit} of the app is the most that the plan ${plan.name} allows: maxBuildResources.${limit} of the plan raises it`
}

import { conflict } from '../../domain/errors.ts'
import { pullRequestOf } from '../../domain/pull-request.ts'
import type { LoadedAppEnv } from './load-app-env.ts'

/** Throws PULL_REQUEST_ENV for an environment that is built from a pull request, whatever its branch. */
export function requireNoPullRequest(appEnv: LoadedAppEnv): void {
  const of = pullRequestOf(appEnv)
  if (of)
    throw conflict(
      'PULL_REQUEST_ENV',
      `"${appEnv.cliEnvName}" is built from the pull request ${of.number}, and no branch`,
    )
}

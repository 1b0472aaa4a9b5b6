import type { ComponentType } from 'react'
import type { RouteName } from '../routes.ts'
import { lazyPart } from '../ui/lazy-part.ts'

type Screen = () => Promise<{ default: ComponentType }>

/** What each address shows. Every screen is a file of its own, loaded when it is first opened. */
const SCREENS: Partial<Record<RouteName, Screen>> = {
  overview: () => import('../screens/overview/overview-screen.tsx'),
  newApp: () => import('../screens/new-app/new-app-screen.tsx'),
  solutions: () => import('../screens/solutions/solutions-screen.tsx'),
  solution: () => import('../screens/solutions/solution-screen.tsx'),
  solutionInstallation: () => import('../screens/solutions/installation-screen.tsx'),
  compose: () => import('../screens/solutions/compose-screen.tsx'),
  activity: () => import('../screens/activity/activity-screen.tsx'),
  members: () => import('../screens/members/members-screen.tsx'),
  credentials: () => import('../screens/credentials/credentials-screen.tsx'),
  webhooks: () => import('../screens/webhooks/webhooks-screen.tsx'),
  webhook: () => import('../screens/webhooks/webhook-screen.tsx'),
  gitHooks: () => import('../screens/git-hooks/git-hooks-screen.tsx'),
  usage: () => import('../screens/usage/usage-screen.tsx'),
  account: () => import('../screens/account/account-screen.tsx'),
  app: () => import('../screens/app/app-screen.tsx'),
  deployments: () => import('../screens/deployments/deployments-screen.tsx'),
  deployment: () => import('../screens/deployments/deployment-screen.tsx'),
  rollback: () => import('../screens/deployments/rollback-screen.tsx'),
  logs: () => import('../screens/logs/logs-screen.tsx'),
  metrics: () => import('../screens/metrics/metrics-screen.tsx'),
  variables: () => import('../screens/variables/variables-screen.tsx'),
  settings: () => import('../screens/settings/settings-screen.tsx'),
  domains: () => import('../screens/domains/domains-screen.tsx'),
  connect: () => import('../screens/connect/connect-screen.tsx'),
  backups: () => import('../screens/backups/backups-screen.tsx'),
  restore: () => import('../screens/backups/restore-screen.tsx'),
  runs: () => import('../screens/runs/runs-screen.tsx'),
  run: () => import('../screens/runs/run-screen.tsx'),
  invocations: () => import('../screens/functions/invocations-screen.tsx'),
  tokens: () => import('../screens/tokens/tokens-screen.tsx'),
  installation: () => import('../screens/installation/installation-screen.tsx'),
}

export const screens = Object.entries(SCREENS).map(([name, load]) => ({
  name: name as RouteName,
  Screen: lazyPart(load),
}))

import { type ComponentType, lazy } from 'react'
import type { RouteName } from '../routes.ts'

type Screen = () => Promise<{ default: ComponentType }>

/** What each address shows. Every screen is a file of its own, loaded when it is first opened. */
const SCREENS: Partial<Record<RouteName, Screen>> = {
  overview: () => import('../screens/overview/overview-screen.tsx'),
  deployments: () => import('../screens/deployments/deployments-screen.tsx'),
  deployment: () => import('../screens/deployments/deployment-screen.tsx'),
  rollback: () => import('../screens/deployments/rollback-screen.tsx'),
  app: () => import('../screens/app/app-screen.tsx'),
  variables: () => import('../screens/variables/variables-screen.tsx'),
  settings: () => import('../screens/settings/settings-screen.tsx'),
  domains: () => import('../screens/domains/domains-screen.tsx'),
}

export const screens = Object.entries(SCREENS).map(([name, load]) => ({
  name: name as RouteName,
  Screen: lazy(load),
}))

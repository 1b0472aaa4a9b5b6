import { type ComponentType, lazy } from 'react'
import type { RouteName } from '../routes.ts'

type Screen = () => Promise<{ default: ComponentType }>

/** What each address shows. Every screen is a file of its own, loaded when it is first opened. */
const SCREENS: Partial<Record<RouteName, Screen>> = {
  overview: () => import('../screens/overview/overview-screen.tsx'),
  deployments: () => import('../screens/deployments/deployments-screen.tsx'),
  deployment: () => import('../screens/deployments/deployment-screen.tsx'),
  rollback: () => import('../screens/deployments/rollback-screen.tsx'),
  logs: () => import('../screens/logs/logs-screen.tsx'),
  metrics: () => import('../screens/metrics/metrics-screen.tsx'),
}

export const screens = Object.entries(SCREENS).map(([name, load]) => ({
  name: name as RouteName,
  Screen: lazy(load),
}))

import type { IconName } from './icons.tsx'

export interface MenuItem {
  label: string
  icon?: IconName
  /** Leads there; else `run` does something. */
  href?: string
  run?: () => void
  missing?: string | null
  isDanger?: boolean
  /** Below a line. */
  startsGroup?: boolean
}

export interface MenuProps {
  label: string
  icon: IconName
  /** The label beside the picture. */
  isNamed?: boolean
  items: readonly MenuItem[]
}

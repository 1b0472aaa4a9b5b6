import { lazy, Suspense } from 'react'
import { Button, IconButton } from './button.tsx'
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

const Composite = lazy(() => import('./menu-composite.tsx'))

/** Actions behind a button. What the widget needs is loaded after the page is there; until then the button waits. */
export function Menu(props: MenuProps) {
  return (
    <Suspense fallback={<MenuButton {...props} />}>
      <Composite {...props} />
    </Suspense>
  )
}

export const MenuButton = ({ label, icon, isNamed }: MenuProps) =>
  isNamed ? (
    <Button icon={icon} aria-haspopup="menu">
      {label}
    </Button>
  ) : (
    <IconButton icon={icon} label={label} aria-haspopup="menu" />
  )

import { Suspense } from 'react'
import { Button, IconButton } from './button.tsx'
import { lazyPart } from './lazy-part.ts'
import type { MenuProps } from './menu-items.ts'

export type { MenuItem } from './menu-items.ts'

const Composite = lazyPart(() => import('./menu-composite.tsx'))

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

import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  Button,
  MenuTrigger,
  Popover,
  Separator,
} from 'react-aria-components'
import { useLocation } from 'wouter'
import buttons from './button.module.css'
import { Icon } from './icons.tsx'
import styles from './menu.module.css'
import type { MenuProps } from './menu-items.ts'

export default function MenuComposite({ label, icon, isNamed, items }: MenuProps) {
  const [, navigate] = useLocation()
  return (
    <MenuTrigger>
      <Button className={`${buttons.button} ${isNamed ? '' : buttons.plain}`} aria-label={isNamed ? undefined : label}>
        <Icon name={icon} />
        {isNamed && label}
      </Button>
      <Popover className={styles.popover ?? ''} placement="bottom end">
        <AriaMenu
          className={styles.menu ?? ''}
          aria-label={label}
          disabledKeys={items.filter(({ missing }) => missing).map((item) => item.label)}
          onAction={(key) => {
            const item = items.find((each) => each.label === key)
            if (item?.href) navigate(item.href)
            else item?.run?.()
          }}
        >
          {items.flatMap((item) => [
            ...(item.startsGroup ? [<Separator key={`before ${item.label}`} className={styles.line ?? ''} />] : []),
            <AriaMenuItem
              key={item.label}
              id={item.label}
              textValue={item.label}
              className={`${styles.item} ${item.isDanger ? 'bad' : ''}`}
            >
              {item.icon && <Icon name={item.icon} />}
              <span>
                {item.label}
                {item.missing && <small className={styles.missing}>{item.missing}</small>}
              </span>
            </AriaMenuItem>,
          ])}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

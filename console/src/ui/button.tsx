import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Link } from 'wouter'
import styles from './button.module.css'
import { Icon, type IconName } from './icons.tsx'

interface Look {
  /** The one thing to do here, something beside it, or something that cannot be undone. */
  kind?: 'primary' | 'quiet' | 'danger' | 'plain'
  icon?: IconName
}

interface ButtonProps extends Look, ButtonHTMLAttributes<HTMLButtonElement> {
  /** What the person lacks; the button is disabled and says so. Null: nothing. */
  missing?: string | null
  isBusy?: boolean
}

/** Disabled buttons stay reachable by keyboard, and say why they are. */
export function Button({ kind = 'quiet', icon, missing, isBusy = false, children, ...rest }: ButtonProps) {
  const isOff = Boolean(missing) || isBusy || rest.disabled
  return (
    <button
      type="button"
      {...rest}
      disabled={undefined}
      aria-disabled={isOff || undefined}
      title={missing ?? rest.title}
      aria-description={missing ?? undefined}
      onClick={isOff ? (event) => event.preventDefault() : rest.onClick}
      className={`${styles.button} ${styles[kind]} ${rest.className ?? ''}`}
    >
      {icon && <Icon name={isBusy ? 'loader' : icon} className={isBusy ? styles.turning : undefined} />}
      {children}
    </button>
  )
}

interface LinkButtonProps extends Look {
  href: string
  children: ReactNode
  missing?: string | null
}

/** Leads somewhere, and looks like a button. */
export function LinkButton({ kind = 'quiet', icon, href, children, missing }: LinkButtonProps) {
  if (missing)
    return (
      <Button kind={kind} missing={missing} {...(icon ? { icon } : {})}>
        {children}
      </Button>
    )
  return (
    <Link href={href} className={`${styles.button} ${styles[kind]}`}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}

/** A picture alone; `label` is what it says. */
export function IconButton({ icon, label, ...rest }: { icon: IconName; label: string } & ButtonProps) {
  return (
    <Button kind="plain" {...rest} aria-label={label} title={rest.missing ?? label}>
      <Icon name={icon} />
    </Button>
  )
}

import { Link, useLocation } from 'wouter'
import type { AccountName, Me } from '../account/session.tsx'
import { pathTo } from '../routes.ts'
import { Icon, type IconName } from '../ui/icons.tsx'
import styles from './frame.module.css'
import { screens } from './screens.tsx'

interface Entry {
  label: string
  icon: IconName
  route: Parameters<typeof pathTo>[0]
}

const OF_ACCOUNT: readonly Entry[] = [
  { route: 'overview', label: 'Overview', icon: 'layers' },
  { route: 'newApp', label: 'New app', icon: 'plus' },
  { route: 'solutions', label: 'Solutions', icon: 'package' },
  { route: 'activity', label: 'Activity', icon: 'history' },
  { route: 'usage', label: 'Usage', icon: 'creditCard' },
  { route: 'members', label: 'Members', icon: 'users' },
  { route: 'credentials', label: 'Credentials', icon: 'key' },
  { route: 'webhooks', label: 'Webhooks', icon: 'webhook' },
  { route: 'gitHooks', label: 'Git hooks', icon: 'gitBranch' },
  { route: 'account', label: 'Account', icon: 'settings' },
]

const built = new Set(screens.map(({ name }) => name as string))

/** The screens of an account, and of the installation for its admin. */
export function screensOf(account: AccountName | null, me: Me) {
  const ofAccount = account
    ? OF_ACCOUNT.filter(({ route }) => built.has(route)).map(({ route, label, icon }) => ({
        id: route,
        label,
        about: account.name,
        icon,
        href: (pathTo as (name: string, parameters: object) => string)(route, { account: account.slug }),
      }))
    : []
  const own: IconName = 'shield'
  const others = [
    { id: 'tokens', label: 'Tokens', about: me.username, icon: own, href: pathTo('tokens') },
    ...(me.isInstallationAdmin
      ? [
          {
            id: 'installation',
            label: 'Installation',
            about: 'Berth',
            icon: 'server' as const,
            href: pathTo('installation'),
          },
        ]
      : []),
  ].filter(({ id }) => built.has(id))
  return [...ofAccount, ...others]
}

export function Navigation({ account, me }: { account: AccountName | null; me: Me }) {
  const [address] = useLocation()
  return (
    <ul className={styles.navigation}>
      {screensOf(account, me).map(({ id, label, icon, href }) => (
        <li key={id}>
          <Link href={href} aria-current={address === href ? 'page' : undefined}>
            <Icon name={icon} />
            {label}
          </Link>
        </li>
      ))}
    </ul>
  )
}

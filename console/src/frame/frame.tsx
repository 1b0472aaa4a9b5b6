import { type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { Link, Redirect, Route, Switch, useLocation, useRoute } from 'wouter'
import { Accounts, Session } from '../account/documents.ts'
import { type AccountName, type Me, SessionProvider } from '../account/session.tsx'
import { ShownAccountContext } from '../account/shown-account.ts'
import { tryNow, useConnection } from '../graphql/connection.ts'
import type { ResultOf } from '../graphql/graphql.ts'
import { followAccount } from '../graphql/live.ts'
import { type Data, useData } from '../graphql/use-data.ts'
import { pathTo, ROUTES } from '../routes.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icons.tsx'
import { activeKeys, useKeys } from '../ui/keys.ts'
import { lazyPart } from '../ui/lazy-part.ts'
import { Menu } from '../ui/menu.tsx'
import { Empty, Page, Skeleton } from '../ui/page.tsx'
import { setPreference, usePreferences } from '../ui/preferences.ts'
import { Refused } from '../ui/refused.tsx'
import { Toasts } from '../ui/toast.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { CrashBoundary } from './crash-boundary.tsx'
import styles from './frame.module.css'
import { KeyList } from './key-list.tsx'
import { Navigation, screensOf } from './navigation.tsx'
import { screens } from './screens.tsx'

const Palette = lazyPart(() => import('../ui/palette.tsx'))

/** The first that everybody sees: who is signed in, and what belongs around every screen. */
export function Frame() {
  const session = useData(Session, { variables: {} })
  const connection = useConnection()
  const { refetch } = session
  const present = session.data?.me ?? null
  // What is below the notice stays as it is, with all that was typed there.
  const known = useRef<Me | null>(null)
  if (present) known.current = present
  const me = present ?? known.current
  const isSignedOut = useSignedOut(session)
  const ask = useRef(refetch)
  ask.current = refetch
  useEffect(() => {
    if (connection.state === 'REFUSED') ask.current()
  }, [connection.state])
  // Signed in again in another tab, as may be by the time that one comes back.
  useEffect(() => {
    if (!isSignedOut) return
    const onReturn = () => document.visibilityState === 'visible' && ask.current()
    document.addEventListener('visibilitychange', onReturn)
    addEventListener('focus', onReturn)
    return () => {
      document.removeEventListener('visibilitychange', onReturn)
      removeEventListener('focus', onReturn)
    }
  }, [isSignedOut])

  if (!me) return <BeforeSession session={session} isSignedOut={isSignedOut} />
  return (
    <>
      {isSignedOut && <SignInNotice />}
      <Signed me={me} isSignedOut={isSignedOut} />
    </>
  )
}

/** Until an answer says otherwise: a question that is on its way is no answer. */
function useSignedOut({ data, refusals, isStale, isLoading }: Data<ResultOf<typeof Session>>): boolean {
  const [isSignedOut, setSignedOut] = useState(false)
  const isRefused = refusals.some(({ code }) => code === 'UNAUTHENTICATED')
  const isAnswered = Boolean(data?.me) && refusals.length === 0 && !isStale && !isLoading
  useEffect(() => {
    if (isRefused) setSignedOut(true)
    else if (isAnswered) setSignedOut(false)
  }, [isRefused, isAnswered])
  return isSignedOut || isRefused
}

function BeforeSession({ session, isSignedOut }: { session: Data<unknown>; isSignedOut: boolean }) {
  if (isSignedOut) return <SignInNotice />
  return (
    <main className={styles.alone}>
      {session.refusals[0] ? (
        <Refused refusal={session.refusals[0]} onRetry={session.refetch} />
      ) : (
        <Skeleton lines={6} />
      )}
    </main>
  )
}

/** Over the page: what was typed below it is kept. */
function SignInNotice() {
  const next = encodeURIComponent(location.pathname + location.search)
  return (
    <Dialog title="You are signed out" isOpen onClose={() => {}}>
      <p>Your session is over, or was ended. What you typed is kept in this tab.</p>
      <div className="row">
        <a className={styles.signIn} href={`/sign-in?next=${next}`}>
          Sign in
        </a>
      </div>
    </Dialog>
  )
}

function Signed({ me, isSignedOut }: { me: Me; isSignedOut: boolean }) {
  const [shownAccount, setShownAccount] = useState<AccountName | null>(null)
  const [, named] = useRoute('/accounts/:account/*?')
  const own = useMemo(() => accountsOf(me), [me])
  const others = useData(Accounts, { variables: { name: undefined }, isPaused: !me.isInstallationAdmin })
  const all = others.data?.accounts?.nodes ?? own
  const slug = named ? ((named as { account?: string }).account ?? null) : null
  const account = slug ? (all.find((each) => each.slug === slug) ?? null) : (shownAccount ?? me.currentAccount ?? null)
  const accountId = account?.id ?? null
  // Anew with each session: the socket of the one before is closed for good.
  useEffect(() => (accountId && !isSignedOut ? followAccount(accountId) : undefined), [accountId, isSignedOut])
  const isUnknown = slug !== null && !account && !others.isLoading
  return (
    <ShownAccountContext value={setShownAccount}>
      <SessionProvider me={me} account={account}>
        <Surroundings me={me} account={account} accounts={all}>
          {isUnknown ? (
            <Page title="There is no such account">
              <Empty title={`No account that you may see is called “${slug}”.`} />
            </Page>
          ) : slug !== null && !account ? (
            <Skeleton />
          ) : (
            <Screens me={me} />
          )}
        </Surroundings>
      </SessionProvider>
    </ShownAccountContext>
  )
}

const accountsOf = (me: Me): AccountName[] =>
  me.memberships.map(({ account }) => account).sort((a, b) => a.name.localeCompare(b.name))

function Screens({ me }: { me: Me }) {
  const home = me.currentAccount ?? me.memberships[0]?.account
  return (
    <Switch>
      <Route path="/">
        {home ? (
          <Redirect to={pathTo('overview', { account: home.slug })} replace />
        ) : (
          <Page title="No account yet">
            <Empty title="You are a member of no account">
              <p>Ask an admin of one to invite {me.email}.</p>
            </Empty>
          </Page>
        )}
      </Route>
      {screens.map(({ name, Screen }) => (
        <Route key={name} path={ROUTES[name]}>
          {(parameters) => (
            // Each address has its own state: another environment is another screen.
            <CrashBoundary key={JSON.stringify(parameters)}>
              <Suspense fallback={<Skeleton />}>
                <Screen />
              </Suspense>
            </CrashBoundary>
          )}
        </Route>
      ))}
      <Route>
        <Page title="There is no such page">
          <Empty title="This address leads nowhere" actions={<Link href="/">Go to the overview</Link>} />
        </Page>
      </Route>
    </Switch>
  )
}

interface SurroundingsProps {
  me: Me
  account: AccountName | null
  accounts: readonly AccountName[]
  children: ReactNode
}

function Surroundings({ me, account, accounts, children }: SurroundingsProps) {
  const [open, setOpen] = useState<'palette' | 'keys' | 'navigation' | null>(null)
  const [address, navigate] = useLocation()
  const close = () => setOpen(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation closes what is open
  useEffect(close, [address])
  useKeys([
    { keys: 'Mod+k', about: 'Search and jump', run: () => setOpen('palette') },
    { keys: '?', about: 'List the keys', run: () => setOpen('keys') },
    {
      keys: 'g o',
      about: 'Go to the overview',
      run: () => account && navigate(pathTo('overview', { account: account.slug })),
    },
    {
      keys: 'g a',
      about: 'Go to the activity',
      run: () => account && navigate(pathTo('activity', { account: account.slug })),
    },
  ])
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <header className={styles.bar}>
        <span className={styles.menuButton}>
          <IconButton icon="menu" label="Navigation" onClick={() => setOpen('navigation')} />
        </span>
        <Link href="/" className={styles.brand} aria-label="Berth">
          <img src="/console/icon.svg" alt="" width="24" height="24" />
          <span>Berth</span>
        </Link>
        {account && <AccountSwitch account={account} accounts={accounts} />}
        <button type="button" className={styles.search} onClick={() => setOpen('palette')}>
          <Icon name="search" />
          <span>Search and jump</span>
          <kbd>{/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'} K</kbd>
        </button>
        <Live />
        <PersonMenu me={me} onKeys={() => setOpen('keys')} />
      </header>
      <nav className={styles.side} aria-label="Main">
        <Navigation account={account} me={me} />
      </nav>
      <main id="main" className={styles.main} tabIndex={-1}>
        <ConnectionBar />
        {children}
      </main>
      <Dialog title="Berth" isOpen={open === 'navigation'} onClose={close} isSheet>
        <nav aria-label="Main">
          <Navigation account={account} me={me} />
        </nav>
      </Dialog>
      <Dialog title="Keys" isOpen={open === 'keys'} onClose={close}>
        <KeyList keys={activeKeys()} />
      </Dialog>
      {open === 'palette' && (
        <Suspense>
          <Palette screens={screensOf(account, me)} onClose={close} />
        </Suspense>
      )}
      <Toasts />
    </div>
  )
}

function AccountSwitch({ account, accounts }: { account: AccountName; accounts: readonly AccountName[] }) {
  if (accounts.length < 2) return <span className={styles.account}>{account.name}</span>
  const items = accounts.map(({ name, slug }) => ({ label: name, href: pathTo('overview', { account: slug }) }))
  return <Menu label={account.name} icon="users" isNamed items={items} />
}

/** Whether the page shows what happens, as it happens. */
function Live() {
  const connection = useConnection()
  const isLive = connection.state === 'LIVE'
  return (
    <span className={styles.live} data-live={isLive || undefined} title={isLive ? 'What you see is live' : undefined}>
      <span aria-hidden="true" />
      {isLive ? 'Live' : connection.state === 'CONNECTING' ? 'Connecting' : 'Not live'}
      {connection.state === 'LOST' && (
        <Button kind="plain" onClick={tryNow}>
          Try now
        </Button>
      )}
    </span>
  )
}

const SCHEMES = { system: 'monitor', light: 'sun', dark: 'moon' } as const

function PersonMenu({ me, onKeys }: { me: Me; onKeys: () => void }) {
  const { scheme, zone, singleKeys } = usePreferences()
  const next = { system: 'light', light: 'dark', dark: 'system' } as const
  const signOut = async () => {
    await fetch('/sign-out', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    location.assign('/sign-in')
  }
  return (
    <Menu
      label={me.username}
      icon="user"
      items={[
        { label: 'How you sign in', icon: 'key', run: () => location.assign('/account-security') },
        { label: 'Tokens and applications', icon: 'shield', href: pathTo('tokens') },
        {
          label: `Colours: ${scheme === 'system' ? 'as the system' : scheme}`,
          icon: SCHEMES[scheme],
          startsGroup: true,
          run: () => setPreference('scheme', next[scheme]),
        },
        {
          label: `Times: ${zone === 'utc' ? 'UTC' : 'your zone'}`,
          icon: 'clock',
          run: () => setPreference('zone', zone === 'utc' ? 'local' : 'utc'),
        },
        {
          label: `Single keys: ${singleKeys ? 'on' : 'off'}`,
          icon: 'zap',
          run: () => setPreference('singleKeys', !singleKeys),
        },
        { label: 'List the keys', icon: 'unknown', run: onKeys },
        { label: 'Sign out', icon: 'logOut', startsGroup: true, run: signOut },
      ]}
    />
  )
}

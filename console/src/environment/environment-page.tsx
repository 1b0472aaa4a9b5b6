import { type ReactNode, useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { visibleText } from '../../../text/visible-text.ts'
import { useMissing } from '../account/session.tsx'
import { useShowAccount } from '../account/shown-account.ts'
import type { ResultOf } from '../graphql/graphql.ts'
import { useData } from '../graphql/use-data.ts'
import { useWrite } from '../graphql/use-write.ts'
import { pathTo } from '../routes.ts'
import { Confirm } from '../ui/dialog.tsx'
import { useKeys } from '../ui/keys.ts'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { Empty, Heading, Skeleton, useTitle } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Status, statusOf } from '../ui/status.tsx'
import { Announced, say } from '../ui/toast.tsx'
import {
  EnvironmentHead,
  RedeployEnvironment,
  RestartEnvironment,
  StartEnvironment,
  StopEnvironment,
} from './documents.ts'
import styles from './environment.module.css'
import { Address, nameOf } from './environment-text.tsx'
import { PendingBar } from './pending-bar.tsx'

export type Head = NonNullable<ResultOf<typeof EnvironmentHead>['appEnv']>

interface EnvironmentPageProps {
  title: string
  /** Beside the menu of every screen: what is done on this one. */
  actions?: (environment: Head) => ReactNode
  children: (environment: Head) => ReactNode
  isWide?: boolean
}

/** What stands around every screen of an environment: its name, its status, what waits to be applied, its screens. */
export function EnvironmentPage({ title, actions, children, isWide = false }: EnvironmentPageProps) {
  const { env = '' } = useParams<{ env: string }>()
  const { data, refusals, isLoading, refetch } = useData(EnvironmentHead, {
    variables: { env },
    readAgainOn: ({ type }) => type === 'APP_ENV_DELETED',
  })
  const environment = data?.appEnv ?? null
  useShowAccount(environment?.account ?? null)
  useTitle(environment ? `${title} · ${nameOf(environment)}` : title)
  if (!environment) {
    if (isLoading) return <Skeleton lines={8} />
    return <Gone env={env} refusal={refusals[0]} onRetry={refetch} />
  }
  return (
    <div className={`${styles.page} ${isWide ? styles.wide : ''}`}>
      <EnvironmentHeader environment={environment} title={title} actions={actions?.(environment)} />
      <PendingBar environment={environment} />
      {children(environment)}
    </div>
  )
}

function Gone({
  env,
  refusal,
  onRetry,
}: {
  env: string
  refusal: Parameters<typeof Refused>[0]['refusal'] | undefined
  onRetry: () => void
}) {
  if (refusal && refusal.code !== 'NOT_FOUND')
    return (
      <div className={styles.page}>
        <Refused refusal={refusal} onRetry={onRetry} />
      </div>
    )
  return (
    <div className={styles.page}>
      <Heading>There is no environment “{env}”</Heading>
      <Empty title="It was deleted, or you may not see it" actions={<Link href="/">Go to the overview</Link>}>
        <p>The activity of the account says who deleted what, and when.</p>
      </Empty>
    </div>
  )
}

/** The screens that an environment has, by what it is. */
function tabsOf({ cliEnvName: env, dockerPresetVersion, jobConfig, functionConfig }: Head) {
  const isService = dockerPresetVersion !== null
  const isJob = jobConfig !== null
  const isFunction = functionConfig !== null
  return [
    { label: 'Deployments', href: pathTo('deployments', { env }), key: 'g d', about: 'Go to deployments' },
    ...(isJob ? [{ label: 'Runs', href: pathTo('runs', { env }), key: 'g r', about: 'Go to runs' }] : []),
    ...(isService
      ? [
          { label: 'Connect', href: pathTo('connect', { env }), key: 'g c', about: 'Go to how to connect' },
          { label: 'Backups', href: pathTo('backups', { env }), key: 'g b', about: 'Go to backups' },
        ]
      : []),
    ...(isFunction
      ? [{ label: 'Invocations', href: pathTo('invocations', { env }), key: 'g i', about: 'Go to the invocations' }]
      : []),
    { label: 'Logs', href: pathTo('logs', { env }), key: 'g l', about: 'Go to the logs' },
    { label: 'Metrics', href: pathTo('metrics', { env }), key: 'g m', about: 'Go to the metrics' },
    { label: 'Variables', href: pathTo('variables', { env }), key: 'g v', about: 'Go to the variables' },
    ...(isService || isJob
      ? []
      : [{ label: 'Domains', href: pathTo('domains', { env }), key: 'g h', about: 'Go to the domains' }]),
    { label: 'Settings', href: pathTo('settings', { env }), key: 'g s', about: 'Go to the settings' },
  ]
}

function EnvironmentHeader({ environment, title, actions }: { environment: Head; title: string; actions: ReactNode }) {
  const { account, app, url } = environment
  const [, navigate] = useLocation()
  const tabs = tabsOf(environment)
  const status = statusOf(environment)
  useKeys(tabs.map(({ key, about, href }) => ({ keys: key, about, run: () => navigate(href) })))
  return (
    <header className={styles.header}>
      <nav aria-label="Where this is" className="soft">
        <Link href={pathTo('overview', { account: account.slug })}>{visibleText(account.name)}</Link>
        {' / '}
        <Link href={pathTo('app', { appId: app.id })}>{visibleText(app.name)}</Link>
      </nav>
      <div className="spread">
        <div className={styles.name}>
          <Heading>
            {nameOf(environment)}
            <span className="visually-hidden">: {title}</span>
          </Heading>
          <Status {...status} />
          <Address url={url} />
        </div>
        <div className="row">
          {actions}
          <EnvironmentMenu environment={environment} />
        </div>
      </div>
      <Announced text={status.word} />
      <nav aria-label="Environment" className={styles.tabs}>
        {tabs.map(({ label, href }) => (
          <Link key={label} href={href} aria-current={label === title ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
    </header>
  )
}

function EnvironmentMenu({ environment }: { environment: Head }) {
  const { id: appEnvId, status, cliEnvName, currentDeployment } = environment
  const [isStopping, setStopping] = useState(false)
  const missing = useMissing('appEnv:operate')
  const start = useWrite(StartEnvironment)
  const stop = useWrite(StopEnvironment)
  const restart = useWrite(RestartEnvironment)
  const redeploy = useWrite(RedeployEnvironment)
  const href = pathTo('deployments', { env: cliEnvName })
  const busy = status === 'UPDATING' ? 'An operation is open' : null
  const neverDeployed = currentDeployment ? null : 'Nothing was deployed yet'
  const items: MenuItem[] = [
    {
      label: 'Restart',
      icon: 'refreshCw',
      missing: missing ?? busy ?? (status === 'RUNNING' ? null : 'Nothing runs'),
      run: async () => {
        const answer = await restart.send({ appEnvId })
        if (answer?.restartAppEnv) say(answer.restartAppEnv.message, href)
      },
    },
    {
      label: 'Redeploy',
      icon: 'rocket',
      missing: missing ?? busy ?? neverDeployed,
      run: async () => {
        const answer = await redeploy.send({ appEnvId })
        if (answer?.redeployAppEnv) say(answer.redeployAppEnv.message, href)
      },
    },
    status === 'STOPPED'
      ? {
          label: 'Start',
          icon: 'play',
          startsGroup: true,
          missing,
          run: async () => {
            const answer = await start.send({ appEnvId })
            if (answer?.startAppEnv) say(answer.startAppEnv.message, href)
          },
        }
      : {
          label: 'Stop…',
          icon: 'circleStop',
          startsGroup: true,
          isDanger: true,
          missing: missing ?? neverDeployed,
          run: () => setStopping(true),
        },
  ]
  const refusal = start.refusal ?? restart.refusal ?? redeploy.refusal
  return (
    <>
      <Menu label="Actions" icon="ellipsis" items={items} />
      {refusal && (
        <div className={styles.refusal}>
          <Refused refusal={refusal} />
        </div>
      )}
      <Confirm
        title={`Stop ${nameOf(environment)}`}
        isOpen={isStopping}
        onClose={() => {
          setStopping(false)
          stop.reset()
        }}
        action="Stop it"
        isSending={stop.isSending}
        refusal={stop.refusal}
        onConfirm={async () => {
          const answer = await stop.send({ appEnvId })
          if (!answer?.stopAppEnv) return
          setStopping(false)
          say(answer.stopAppEnv.message, href)
        }}
      >
        <p>Its containers end, and requests to it are refused, until it is started again. Data in volumes stays.</p>
      </Confirm>
    </>
  )
}

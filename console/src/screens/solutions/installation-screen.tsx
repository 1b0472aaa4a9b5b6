import { useEffect, useState } from 'react'
import { useSubscription } from 'urql'
import { Link, useLocation, useParams } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useAccount, useMissing } from '../../account/session.tsx'
import { Address } from '../../environment/environment-text.tsx'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Empty, Facts, Page, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { Announced, say } from '../../ui/toast.tsx'
import { Installation, InstallationProgress, RemoveInstallation } from './documents.ts'
import { Graph } from './graph.tsx'
import { componentState, type Declared, type Installed, installationStatus } from './installation-text.ts'
import styles from './solutions.module.css'
import { UpgradeDialog } from './upgrade-dialog.tsx'

/** How far an installation is, each of its apps, and what can be done with it as a whole. */
export default function InstallationScreen() {
  const account = useAccount()
  const { installationId = '' } = useParams<{ installationId: string }>()
  const { data, refusals, isLoading, refetch } = useData(Installation, {
    variables: { id: installationId, accountId: account.id },
    readAgainOn: ({ type }) => type === 'INSTALLATION_CHANGED',
  })
  const installation = data?.installation ?? null
  // What it brings goes into the cache, and so into what was read.
  useSubscription({
    query: InstallationProgress,
    variables: { id: installationId },
    pause: installation?.status !== 'INSTALLING',
  })
  const back = <Link href={pathTo('solutions', { account: account.slug })}>All solutions</Link>
  if (!installation)
    return (
      <Page title="Installation" within={account.name} about={back}>
        {isLoading ? (
          <Skeleton lines={8} />
        ) : refusals[0] && refusals[0].code !== 'NOT_FOUND' ? (
          <Refused refusal={refusals[0]} onRetry={refetch} />
        ) : (
          <Empty title="This installation was removed, or you may not see it" actions={back} />
        )}
      </Page>
    )
  const declared = data?.solutions?.find(({ solutionSlug }) => solutionSlug === installation.solutionSlug)
  return <Detail installation={installation} declared={declared} />
}

function Detail({ installation, declared }: { installation: Installed; declared: Declared | undefined }) {
  const account = useAccount()
  const { id, appName, solutionSlug, revision, status, region, createdAt, finishedAt, requester, postInstallNote } =
    installation
  const [isUpgrading, setUpgrading] = useState(false)
  const [isRemoving, setRemoving] = useState(false)
  const mayInstall = useMissing('solution:install')
  const mayRemove = useMissing('solution:remove')
  const shown = installationStatus(status)
  const isCompose = solutionSlug === 'compose'
  const hasNewer = declared !== undefined && declared.revision > revision
  const form = isCompose
    ? pathTo('compose', { account: account.slug })
    : pathTo('solution', { account: account.slug, slug: solutionSlug })
  const resume = `${form}?${new URLSearchParams({ resume: id, name: appName })}`
  const names = new Map(declared?.components.map(({ key, name }) => [key, name]))
  const links = installation.components.map((component) => ({
    ...component,
    dependsOn: declared?.components.find(({ key }) => key === component.key)?.dependsOn ?? [],
  }))
  return (
    <Page
      title={visibleText(appName)}
      within={account.name}
      about={
        <>
          <Link href={pathTo('solutions', { account: account.slug })}>Solutions</Link> /{' '}
          {isCompose ? 'compose file' : (declared?.name ?? solutionSlug)}
        </>
      }
      actions={
        <>
          <Status {...shown} />
          {status === 'INCOMPLETE' && (
            <LinkButton kind="primary" icon="rotateCcw" href={resume} missing={mayInstall}>
              Go on with it…
            </LinkButton>
          )}
          {hasNewer && (
            <Button
              icon="arrowRight"
              missing={mayInstall ?? (status === 'INSTALLED' ? null : 'It is not complete yet')}
              onClick={() => setUpgrading(true)}
            >
              Upgrade to revision {declared.revision}…
            </Button>
          )}
          <Button kind="danger" icon="trash" missing={mayRemove} onClick={() => setRemoving(true)}>
            Remove…
          </Button>
        </>
      }
    >
      <Announced text={shown.word} />
      {postInstallNote && (
        <Section title="What is left to do">
          <p className={styles.note}>{visibleText(postInstallNote)}</p>
        </Section>
      )}
      {links.some(({ dependsOn }) => dependsOn.length > 0) && (
        <Section title="What waits for what">
          <Graph components={links} nameOf={({ key }) => names.get(key) ?? key} height={64}>
            {(component) => (
              <>
                <p>
                  <b>{names.get(component.key) ?? visibleText(component.key)}</b>
                </p>
                <Status {...stateOf(component)} />
              </>
            )}
          </Graph>
        </Section>
      )}
      <Section title="Its apps" isFlush>
        <ul className={styles.rows}>
          {installation.components.map((component) => (
            <Component key={component.key} component={component} name={names.get(component.key)} />
          ))}
        </ul>
      </Section>
      <Section title="About it">
        <Facts
          of={[
            ['Requested', <Time key="at" at={createdAt} />],
            ['Ended', finishedAt && <Time key="end" at={finishedAt} />],
            ['By', requester?.username && visibleText(requester.username)],
            ['Region', region],
            ...(isCompose ? [] : ([['Revision', revision]] as const)),
          ]}
        />
      </Section>
      {isUpgrading && declared && (
        <UpgradeDialog installation={installation} declared={declared} onClose={() => setUpgrading(false)} />
      )}
      {isRemoving && <Removal installation={installation} onClose={() => setRemoving(false)} />}
    </Page>
  )
}

type ComponentOf = Installed['components'][number]

const stateOf = ({ state, operation }: ComponentOf) =>
  componentState(state, operation?.status === 'RUNNING' ? operation.steps.at(-1)?.name : undefined)

function Component({ component, name }: { component: ComponentOf; name: string | undefined }) {
  const { key, app, appEnv, reason, message } = component
  return (
    <li className={styles.component}>
      <span>
        {appEnv ? (
          <Link href={pathTo('deployments', { env: appEnv.cliEnvName })}>
            <b>{visibleText(app?.name ?? key)}</b>
          </Link>
        ) : (
          <b>{visibleText(app?.name ?? key)}</b>
        )}{' '}
        <span className="soft">{name ?? visibleText(key)}</span>
      </span>
      <Status {...stateOf(component)} />
      <span className="clip">{appEnv ? <Address url={appEnv.url} /> : <span className="soft">Deleted</span>}</span>
      {(message ?? reason) && (
        <p className="bad">
          {message ? visibleText(message) : ''} {reason && <code>{reason}</code>}
        </p>
      )}
    </li>
  )
}

function Removal({
  installation: { id, appName, components },
  onClose,
}: {
  installation: Installed
  onClose: () => void
}) {
  const account = useAccount()
  const [, navigate] = useLocation()
  const { send, isSending, refusal } = useWrite(RemoveInstallation)
  const dryRun = useWrite(RemoveInstallation)
  const { send: ask } = dryRun
  // One protected environment refuses the whole.
  useEffect(() => void ask({ installationId: id, dryRun: true }), [ask, id])
  return (
    <Confirm
      title={`Remove ${visibleText(appName)}`}
      isOpen
      onClose={onClose}
      name={appName}
      action="Remove all of it"
      isSending={isSending}
      refusal={refusal ?? dryRun.refusal}
      onConfirm={async () => {
        const answer = await send({ installationId: id })
        if (!answer?.removeInstallation) return
        say(answer.removeInstallation.message)
        navigate(pathTo('solutions', { account: account.slug }))
      }}
    >
      <p>These apps are deleted with their environments, hosts and variables. Volumes are kept, without an owner.</p>
      <ul className={styles.list}>
        {components.map(({ key, app, appEnv }) => (
          <li key={key}>
            <b>{visibleText(app?.name ?? key)}</b> <span className="soft">{appEnv?.cliEnvName}</span>
          </li>
        ))}
      </ul>
    </Confirm>
  )
}

import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { useShowAccount } from '../../account/shown-account.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { useKeys } from '../../ui/keys.ts'
import { Empty, Page, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { wordsOf } from '../../ui/status.tsx'
import type { App } from './app.ts'
import { AppDeletion } from './app-deletion.tsx'
import { BuildSetting, ImageSetting, NameSetting, SourceSetting } from './app-settings.tsx'
import { Differences } from './differences.tsx'
import { AppDetail } from './documents.ts'
import { EnvironmentTable } from './environment-table.tsx'
import { NewEnvironment } from './new-environment.tsx'
import { Promotion } from './promotion.tsx'
import { PullRequests } from './pull-requests.tsx'

/** An app: its environments side by side, what it is made of, and how a version goes from one environment to the next. */
export default function AppScreen() {
  const { appId = '' } = useParams<{ appId: string }>()
  const { data, refusals, isLoading, refetch } = useData(AppDetail, {
    variables: { id: appId },
    readAgainOn: (event) => event.appId === appId && /^APP(?:_ENV)?_(?:CREATED|DELETED|UPDATED)$/.test(event.type),
  })
  const app = data?.app ?? null
  useShowAccount(app?.account ?? null)
  if (app) return <Shown app={app} />
  if (isLoading)
    return (
      <Page title="App">
        <Skeleton lines={8} />
      </Page>
    )
  const [refusal] = refusals
  if (refusal && refusal.code !== 'NOT_FOUND')
    return (
      <Page title="App">
        <Refused refusal={refusal} onRetry={refetch} />
      </Page>
    )
  return (
    <Page title="There is no such app">
      <Empty title="It was deleted, or you may not see it" actions={<Link href="/">Go to the overview</Link>}>
        <p>The activity of the account says who deleted what, and when.</p>
      </Empty>
    </Page>
  )
}

function Shown({ app }: { app: App }) {
  const { account, appEnvs, type, dockerPreset } = app
  const [isCreating, setCreating] = useState(false)
  const [promoted, setPromoted] = useState<string | null>(null)
  const missing = useMissing('app:change')
  useKeys([{ keys: 'a', about: 'Create an environment', run: () => missing === null && setCreating(true) }])
  const isService = type === 'SERVICE'
  return (
    <Page
      title={visibleText(app.name)}
      within={account.name}
      about={
        <>
          <Link href={pathTo('overview', { account: account.slug })}>{visibleText(account.name)}</Link>
          {' · '}
          {wordsOf(type)}, {app.useImage ? visibleText(app.image ?? 'an image') : wordsOf(dockerPreset)}
        </>
      }
      actions={
        <Button kind="primary" icon="plus" missing={missing} onClick={() => setCreating(true)}>
          Create an environment
        </Button>
      }
    >
      {isCreating && <NewEnvironment app={app} onClose={() => setCreating(false)} />}
      <Section title={`Environments: ${appEnvs.totalCount}`} isFlush>
        {appEnvs.nodes.length === 0 ? (
          <Empty
            title="No environment yet"
            actions={
              <Button icon="plus" missing={missing} onClick={() => setCreating(true)}>
                Create one
              </Button>
            }
          >
            <p>An environment is where the app runs, with variables and hosts of its own: production, for example.</p>
          </Empty>
        ) : (
          <EnvironmentTable app={app} onPromote={isService ? null : setPromoted} />
        )}
      </Section>
      {promoted && <Promotion app={app} fromId={promoted} onClose={() => setPromoted(null)} />}
      {appEnvs.nodes.length > 1 && <Differences app={app} />}
      <NameSetting app={app} />
      {!isService && <ImageSetting app={app} />}
      {!isService && !app.useImage && <SourceSetting app={app} />}
      {!isService && !app.useImage && <BuildSetting app={app} />}
      {!isService && !app.useImage && app.gitRepo && <PullRequests app={app} />}
      <AppDeletion app={app} />
    </Page>
  )
}

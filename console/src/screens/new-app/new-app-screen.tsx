import { Link, Redirect, useSearchParams } from 'wouter'
import { useAccount } from '../../account/session.tsx'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Icon, type IconName } from '../../ui/icons.tsx'
import { Page, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { NewAppChoices } from './documents.ts'
import styles from './new-app.module.css'
import { NewAppForm } from './new-app-form.tsx'
import { SOURCES, type Source } from './new-app-input.ts'

const ABOUT: Readonly<Record<Source, { label: string; icon: IconName }>> = {
  image: { label: 'Image', icon: 'box' },
  git: { label: 'Repository', icon: 'gitBranch' },
  upload: { label: 'Upload', icon: 'folderUp' },
  service: { label: 'Database or broker', icon: 'database' },
}

/** An app, from whatever there is of it: one form each, and one click until it runs. */
export default function NewAppScreen() {
  const account = useAccount()
  const [parameters] = useSearchParams()
  const asked = parameters.get('from') ?? 'image'
  const { data, refusals, isLoading, refetch } = useData(NewAppChoices, { variables: { accountId: account.id } })
  if (asked === 'compose') return <Redirect to={pathTo('compose', { account: account.slug })} replace />
  const from: Source = SOURCES.find((source) => source === asked) ?? 'image'
  const here = pathTo('newApp', { account: account.slug })
  return (
    <Page title="New app" within={account.name}>
      <nav aria-label="What it is made from" className={styles.sources}>
        {SOURCES.map((source) => (
          <Link key={source} href={`${here}?from=${source}`} aria-current={source === from ? 'page' : undefined}>
            <Icon name={ABOUT[source].icon} />
            {ABOUT[source].label}
          </Link>
        ))}
        <Link href={pathTo('compose', { account: account.slug })}>
          <Icon name="layers" />
          Compose file
        </Link>
        <Link href={pathTo('solutions', { account: account.slug })}>
          <Icon name="package" />
          Solution
        </Link>
      </nav>
      {data ? (
        <NewAppForm key={from} source={from} choices={data} />
      ) : isLoading ? (
        <Skeleton lines={8} />
      ) : (
        refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />
      )}
    </Page>
  )
}

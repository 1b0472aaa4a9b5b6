import { Link, useSearchParams } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useAccount } from '../../account/session.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Empty, Page, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Status, wordsOf } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { Solutions } from './documents.ts'
import { installationStatus } from './installation-text.ts'
import styles from './solutions.module.css'

type Data = ResultOf<typeof Solutions>
type Solution = NonNullable<Data['solutions']>[number]
type Installation = NonNullable<Data['installations']>['nodes'][number]

/** Several apps that belong together, ready to install; and those that are installed. */
export default function SolutionsScreen() {
  const account = useAccount()
  const { data, refusals, isLoading, refetch } = useData(Solutions, {
    variables: { accountId: account.id },
    readAgainOn: ({ type }) => type === 'INSTALLATION_CHANGED',
  })
  const installed = data?.installations?.nodes ?? []
  return (
    <Page
      title="Solutions"
      within={account.name}
      about="Several apps that belong together, installed at once and in the right order."
      actions={
        <LinkButton icon="layers" href={pathTo('compose', { account: account.slug })}>
          From a compose file
        </LinkButton>
      }
    >
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {installed.length > 0 && (
        <Section title={`Installed: ${data?.installations?.totalCount ?? installed.length}`} isFlush>
          <ul className={styles.rows}>
            {installed.map((installation) => (
              <InstalledRow
                key={installation.id}
                installation={installation}
                slug={account.slug}
                name={data?.solutions?.find(({ solutionSlug }) => solutionSlug === installation.solutionSlug)?.name}
              />
            ))}
          </ul>
        </Section>
      )}
      {isLoading ? (
        <Skeleton lines={8} />
      ) : (
        data?.solutions && <Catalogue solutions={data.solutions} slug={account.slug} />
      )}
    </Page>
  )
}

function InstalledRow({
  installation,
  slug,
  name,
}: {
  installation: Installation
  slug: string
  name: string | undefined
}) {
  const { id, appName, solutionSlug, status, createdAt } = installation
  return (
    <li>
      <Link
        href={pathTo('solutionInstallation', { account: slug, installationId: id })}
        className={styles.installation}
      >
        <span>
          <b>{visibleText(appName)}</b>{' '}
          <span className="soft">{solutionSlug === 'compose' ? 'compose file' : (name ?? solutionSlug)}</span>
        </span>
        <Status {...installationStatus(status)} />
        <span className="soft">
          <Time at={createdAt} />
        </span>
      </Link>
    </li>
  )
}

function Catalogue({ solutions, slug }: { solutions: readonly Solution[]; slug: string }) {
  const [parameters, setParameters] = useSearchParams()
  const text = parameters.get('name') ?? ''
  const category = parameters.get('category') ?? ''
  const set = (name: string, value: string) =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before)
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace: true },
    )
  const categories = [...new Set(solutions.map((solution) => solution.category))].sort()
  const wanted = text.trim().toLowerCase()
  const found = solutions.filter(
    (solution) =>
      (category === '' || solution.category === category) &&
      `${solution.name} ${solution.description} ${solution.solutionSlug}`.toLowerCase().includes(wanted),
  )
  return (
    <>
      <search className={styles.filters}>
        <input
          type="search"
          className="control"
          aria-label="What a solution is called or does"
          placeholder="Search"
          defaultValue={text}
          onChange={(event) => set('name', event.target.value)}
        />
        <select
          className="control"
          aria-label="Category"
          value={category}
          onChange={(event) => set('category', event.target.value)}
        >
          <option value="">All categories</option>
          {categories.map((name) => (
            <option key={name} value={name}>
              {wordsOf(name)}
            </option>
          ))}
        </select>
        <span className="visually-hidden" role="status">
          {found.length === 1 ? '1 solution' : `${found.length} solutions`}
        </span>
      </search>
      {found.length === 0 && (
        <Empty title="No solution is like that">
          <p>A compose file can be installed as it is.</p>
        </Empty>
      )}
      <ul className={styles.catalogue}>
        {found.map(({ solutionSlug, name, description, category: field, components, requiresSandbox }) => (
          <li key={solutionSlug}>
            <Link href={pathTo('solution', { account: slug, slug: solutionSlug })} className={styles.solution}>
              <h2>{name}</h2>
              <p>{description}</p>
              <p className="soft">
                {[
                  wordsOf(field),
                  components.length === 1 ? '1 app' : `${components.length} apps`,
                  requiresSandbox && 'needs a sandbox',
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

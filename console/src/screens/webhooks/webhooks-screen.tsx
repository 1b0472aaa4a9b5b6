import { useState } from 'react'
import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useAccount, useMissing } from '../../account/session.tsx'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty, Page, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { type Secret, SecretOnce } from '../../ui/secret-once.tsx'
import { Status } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { Webhooks } from './documents.ts'
import { CreateWebhookForm } from './webhook-forms.tsx'
import { KINDS, sendingOf } from './webhook-words.ts'

/** Where events of the account are sent. */
export default function WebhooksScreen() {
  const { id: accountId, name, slug } = useAccount()
  const missing = useMissing('webhook:manage')
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<Secret | null>(null)
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(Webhooks, {
    variables: { accountId, after },
    readAgainOn: ({ type }) => type === 'WEBHOOK_CHANGED' || type === 'WEBHOOK_DISABLED',
  })
  const list = data?.webhooks
  const create = (
    <Button kind="primary" icon="plus" missing={missing} onClick={() => setCreating(true)}>
      New webhook
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      within={name}
      about="Berth tells a program, a chat or people by e-mail what happens."
      actions={create}
    >
      {secret && <SecretOnce secret={secret} onDone={() => setSecret(null)} />}
      <Section title={list ? `${list.totalCount} in this account` : 'In this account'} isFlush>
        {isLoading && <Skeleton lines={4} />}
        {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
        {list && list.nodes.length === 0 && (
          <Empty title="No webhook yet" actions={create}>
            <p>
              Notify a chat of failed deployments, or a program of all events. Each delivery is listed, and sent again
              on demand.
            </p>
          </Empty>
        )}
        {list && list.nodes.length > 0 && (
          <Table
            label="Webhooks"
            rows={list.nodes}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Name',
                kind: 'header',
                cell: ({ id, name: title }) => (
                  <Link href={pathTo('webhook', { account: slug, webhookId: id })}>{visibleText(title)}</Link>
                ),
              },
              { name: 'Kind', cell: ({ kind }) => KINDS[kind].label },
              { name: 'To', cell: ({ address }) => <code>{visibleText(address)}</code> },
              {
                name: 'Events',
                cell: ({ eventTypes }) => (eventTypes.length === 0 ? 'Every type' : `${eventTypes.length} types`),
              },
              { name: 'Status', cell: (webhook) => <Status {...sendingOf(webhook)} /> },
              { name: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
            ]}
            more={{
              hasMore: list.pageInfo.hasNextPage,
              isLoading: isStale,
              onMore: () => setAfter(list.pageInfo.endCursor ?? null),
            }}
          />
        )}
      </Section>
      <Dialog title="New webhook" isOpen={isCreating} onClose={() => setCreating(false)}>
        <CreateWebhookForm
          accountId={accountId}
          onClose={() => setCreating(false)}
          onDone={refetch}
          onSecret={setSecret}
        />
      </Dialog>
    </Page>
  )
}

import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { durationText } from '../../../../text/duration.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { eventText } from '../../account/event-words.ts'
import { useAccount, useMissing } from '../../account/session.tsx'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmWrite } from '../../ui/confirm-write.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Empty, Facts, Page, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { type Secret, SecretOnce } from '../../ui/secret-once.tsx'
import { Status } from '../../ui/status.tsx'
import { formatTime, Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { Deliveries } from './deliveries.tsx'
import { DeleteWebhook, RotateWebhookSecret, TestWebhook, WebhookDetail } from './documents.ts'
import { secretOf, UpdateWebhookForm } from './webhook-forms.tsx'
import { KINDS, sendingOf, type Webhook } from './webhook-words.ts'

/** One webhook: what it sends, and every delivery with its attempts. */
export default function WebhookScreen() {
  const { name, slug } = useAccount()
  const { webhookId = '' } = useParams<{ webhookId: string }>()
  const { data, refusals, isLoading, refetch } = useData(WebhookDetail, {
    variables: { id: webhookId },
    readAgainOn: ({ type }) => type === 'WEBHOOK_CHANGED' || type === 'WEBHOOK_DISABLED',
  })
  const [secret, setSecret] = useState<Secret | null>(null)
  const webhook = data?.webhook
  const back = <Link href={pathTo('webhooks', { account: slug })}>All webhooks</Link>
  if (!webhook)
    return (
      <Page title="Webhook" within={name}>
        {isLoading && <Skeleton />}
        {refusals[0] && refusals[0].code !== 'NOT_FOUND' && <Refused refusal={refusals[0]} onRetry={refetch} />}
        {refusals[0]?.code === 'NOT_FOUND' && (
          <Empty title="It was deleted, or you may not see it" actions={back}>
            <p>The activity of the account says who deleted what, and when.</p>
          </Empty>
        )}
      </Page>
    )
  return (
    <Page
      title={visibleText(webhook.name)}
      within={name}
      about={back}
      actions={<Actions webhook={webhook} onSecret={setSecret} />}
    >
      {secret && <SecretOnce secret={secret} onDone={() => setSecret(null)} />}
      <Section title="What it sends">
        <Facts
          of={[
            ['Status', <Status key="status" {...sendingOf(webhook)} />],
            ['Kind', KINDS[webhook.kind].label],
            ['To', <code key="to">{visibleText(webhook.address)}</code>],
            [
              'Events',
              webhook.eventTypes.length === 0
                ? 'Every type that the kind can send'
                : webhook.eventTypes.map(eventText).join(', '),
            ],
            ...(webhook.failingSince
              ? [['Every attempt failed since', <Time key="failing" at={webhook.failingSince} />] as const]
              : []),
            ...(webhook.formerSecretUntil
              ? [['Signed with the former secret, too, until', formatTime(webhook.formerSecretUntil, 'exact')] as const]
              : []),
          ]}
        />
      </Section>
      <Deliveries webhookId={webhook.id} />
    </Page>
  )
}

const TEST_WAIT_SECONDS = 15

function Actions({ webhook, onSecret }: { webhook: Webhook; onSecret: (secret: Secret) => void }) {
  const { id: webhookId, name, kind, version: expectedVersion } = webhook
  const { slug } = useAccount()
  const missing = useMissing('webhook:manage')
  const missingAudit = useMissing('audit:read')
  const [, navigate] = useLocation()
  const [open, setOpen] = useState<'change' | 'rotate' | 'delete' | null>(null)
  const test = useWrite(TestWebhook)
  const [failure, setFailure] = useState<string | null>(null)
  const close = () => setOpen(null)
  const tryIt = async () => {
    setFailure(null)
    const answer = await test.send({ webhookId, waitSeconds: TEST_WAIT_SECONDS })
    if (!answer?.testWebhook) return
    const { status, answerStatus, durationMs, error } = answer.testWebhook
    const took = durationMs === null ? '' : ` in ${durationText(durationMs)}`
    if (status === 'DELIVERED') say(`The test was delivered${took}${answerStatus ? `, answer ${answerStatus}` : ''}`)
    else if (status === 'FAILED') setFailure(`The test failed${took}: ${error ?? `answer ${answerStatus}`}`)
    else say('The test is on its way: the deliveries show how it ends')
  }
  return (
    <>
      <Button icon="zap" missing={missing} isBusy={test.isSending} onClick={tryIt}>
        Test
      </Button>
      <Button icon="pencil" missing={missing} onClick={() => setOpen('change')}>
        Change
      </Button>
      <Menu
        label="Actions"
        icon="ellipsis"
        items={[
          {
            label: 'New secret…',
            icon: 'refreshCw',
            missing: missing ?? (kind === 'WEBHOOK' ? null : 'Only a webhook is signed'),
            run: () => setOpen('rotate'),
          },
          {
            label: 'Who changed it',
            icon: 'history',
            missing: missingAudit,
            href: `${pathTo('activity', { account: slug })}?target=${webhookId}`,
          },
          { label: 'Delete…', icon: 'trash', isDanger: true, startsGroup: true, missing, run: () => setOpen('delete') },
        ]}
      />
      {test.refusal && <Refused refusal={test.refusal} />}
      {failure && (
        <p className="bad" role="alert">
          {visibleText(failure)}
        </p>
      )}
      <Dialog title={`Change “${visibleText(name)}”`} isOpen={open === 'change'} onClose={close}>
        <UpdateWebhookForm webhook={webhook} onClose={close} />
      </Dialog>
      <ConfirmWrite
        title={`New secret of “${visibleText(name)}”`}
        isOpen={open === 'rotate'}
        onClose={close}
        mutation={RotateWebhookSecret}
        input={{ webhookId, expectedVersion }}
        messageOf={() => undefined}
        action="Make a new secret"
        onDone={({ rotateWebhookSecret }) => {
          if (rotateWebhookSecret?.secret) onSecret(secretOf(name, rotateWebhookSecret.secret))
        }}
      >
        <p>For a while, deliveries are signed with the former one, too. After that, receivers need the new one.</p>
      </ConfirmWrite>
      <ConfirmWrite
        title={`Delete “${visibleText(name)}”`}
        isOpen={open === 'delete'}
        onClose={close}
        mutation={DeleteWebhook}
        input={{ webhookId, expectedVersion }}
        messageOf={({ deleteWebhook }) => deleteWebhook?.message}
        name={name}
        action="Delete it"
        onDone={() => navigate(pathTo('webhooks', { account: slug }))}
      >
        <p>Deliveries that wait are not sent, and the list of past ones is gone.</p>
      </ConfirmWrite>
    </>
  )
}

import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField, Form, FormActions, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { linesIn, shownLines } from '../../ui/setting.tsx'
import { say } from '../../ui/toast.tsx'
import type { App } from './app.ts'
import { DeletePullRequestEnvs, PullRequestSettings, SetPullRequestEnvs } from './documents.ts'

/** Whether each pull request gets an environment of its own. */
export function PullRequests({ app }: { app: App }) {
  const missing = useMissing('app:change')
  const { data, refusals, refetch } = useData(PullRequestSettings, { variables: { appId: app.id } })
  const { send, isSending, refusal } = useWrite(SetPullRequestEnvs)
  const remove = useWrite(DeletePullRequestEnvs)
  const lasting = app.appEnvs.nodes.filter(({ pullRequest }) => pullRequest === null)
  if (!data?.app) return refusals[0] ? <Refused refusal={refusals[0]} onRetry={refetch} /> : <Skeleton />
  const settings = data.app.pullRequestEnvs
  return (
    <Section title="Environments of pull requests">
      <Form
        key={settings ? 'on' : 'off'}
        draftKey={`pull-requests.${app.id}`}
        refusal={refusal}
        onSend={async (fields) => {
          const answer = await send({
            appId: app.id,
            baseAppEnvId: fields.baseAppEnvId ?? '',
            maxAppEnvs: Number(fields.maxAppEnvs),
            expiresAfterHours: Number(fields.expiresAfterHours),
            targetBranches: linesIn(fields.targetBranches),
            allowForks: fields.allowForks === 'true',
            copySecrets: fields.copySecrets === 'true',
          })
          if (!answer) return false
          say('Pull requests get environments from now on.')
          refetch()
          return true
        }}
      >
        <p>
          {settings
            ? `Each pull request gets an environment, with the rights of ${visibleText(settings.user?.username ?? 'a user who is gone')}.`
            : 'Each pull request can get an environment of its own, which goes with it.'}
        </p>
        <SelectField
          name="baseAppEnvId"
          label="They are like"
          defaultValue={settings?.baseAppEnvId}
          options={lasting.map(({ id, name }) => ({ value: id, label: visibleText(name) }))}
          help="Region, size, settings and variables of it; nothing of its data."
        />
        <TextField
          name="maxAppEnvs"
          label="At most so many at a time"
          type="number"
          required
          defaultValue={settings?.maxAppEnvs ?? 5}
        />
        <TextField
          name="expiresAfterHours"
          label="Hours without a push after which one is deleted"
          type="number"
          required
          defaultValue={settings?.expiresAfterHours ?? 120}
        />
        <TextAreaField
          name="targetBranches"
          label="Only pull requests into these branches, one a line"
          rows={2}
          defaultValue={shownLines(settings?.targetBranches)}
          help="Empty: all."
        />
        <CheckField
          name="copySecrets"
          label="Copy secrets too"
          defaultChecked={settings?.copySecrets}
          help="Everyone who can push to the repository can then read them. Never for forks."
        />
        <CheckField
          name="allowForks"
          label="Also for forks"
          defaultChecked={settings?.allowForks}
          help="The author of such a pull request runs code in this account."
        />
        <FormActions>
          <Button kind="primary" type="submit" isBusy={isSending} missing={missing}>
            {settings ? 'Save' : 'Turn it on'}
          </Button>
          {settings && (
            <Button
              missing={missing}
              isBusy={remove.isSending}
              onClick={async () => {
                const answer = await remove.send({ appId: app.id })
                if (!answer?.deletePullRequestEnvs) return
                say(answer.deletePullRequestEnvs.message)
                refetch()
              }}
            >
              Turn it off
            </Button>
          )}
        </FormActions>
        {remove.refusal && <Refused refusal={remove.refusal} />}
      </Form>
    </Section>
  )
}

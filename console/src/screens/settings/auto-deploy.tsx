import { useClient } from 'urql'
import { useMissing } from '../../account/session.tsx'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { TextAreaField } from '../../ui/form.tsx'
import { Refused } from '../../ui/refused.tsx'
import { linesIn, shownLines } from '../../ui/setting.tsx'
import { say } from '../../ui/toast.tsx'
import { DeleteAutoDeploy, SetAutoDeploy, Settings } from './documents.ts'
import { EnvironmentSetting, type SettingsOf } from './setting.tsx'

/** Whether pushes deploy, and which. */
export function AutoDeploySetting({ env, settings }: { env: string; settings: SettingsOf }) {
  const { id: appEnvId, autoDeploy } = settings
  const client = useClient()
  const missing = useMissing('appEnv:change')
  const remove = useWrite(DeleteAutoDeploy)
  return (
    <>
      <EnvironmentSetting
        title="Deploy on push"
        env={env}
        settings={settings}
        mutation={SetAutoDeploy}
        saved="Pushes deploy from now on."
        action={autoDeploy ? 'Save' : 'Turn it on'}
        fieldsOf={(all) => ({ watchPaths: shownLines(all.autoDeploy?.watchPaths) })}
        inputOf={(fields) => ({ watchPaths: linesIn(fields.watchPaths) })}
      >
        {(fields) => (
          <>
            <p>
              {autoDeploy
                ? `Pushes to ${settings.gitBranch ?? 'its branch'} deploy.`
                : 'Pushes do not deploy. A git hook of the account receives them.'}
            </p>
            <TextAreaField
              name="watchPaths"
              label="Only pushes that change these paths, one pattern a line"
              rows={3}
              placeholder={'services/api\nsrc/**/*.ts\n!docs'}
              defaultValue={fields.watchPaths}
              help="Empty: every push deploys. ! excludes; later patterns override earlier ones."
            />
          </>
        )}
      </EnvironmentSetting>
      {autoDeploy && (
        <div className="stack tight">
          <div className="row">
            <Button
              missing={missing}
              isBusy={remove.isSending}
              onClick={async () => {
                if (!(await remove.send({ appEnvId }))) return
                say('Pushes do not deploy any more.')
                await client.query(Settings, { env }, { requestPolicy: 'network-only' }).toPromise()
              }}
            >
              Turn deploying on push off
            </Button>
          </div>
          {remove.refusal && <Refused refusal={remove.refusal} />}
        </div>
      )}
    </>
  )
}

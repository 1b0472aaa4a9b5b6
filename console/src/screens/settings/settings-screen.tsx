import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import { useData } from '../../graphql/use-data.ts'
import { CheckField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import styles from '../../ui/setting.module.css'
import { isTrue, linesIn, numberIn, shown, shownLines, textIn } from '../../ui/setting.tsx'
import { AutoDeploySetting } from './auto-deploy.tsx'
import { Deletion } from './deletion.tsx'
import { ChangeBranch, ChangeHealthcheck, Settings, UpdateEnvironment } from './documents.ts'
import { ServiceSetting } from './service-setting.tsx'
import { EnvironmentSetting, type SettingsOf } from './setting.tsx'
import { FunctionSetting, ScalingSetting, SizeSetting } from './size-setting.tsx'
import { VolumeSetting } from './volume-setting.tsx'

/** All that can be set of an environment, in groups that are saved by themselves. Each change waits until it is applied. */
export default function SettingsScreen() {
  return <EnvironmentPage title="Settings">{(environment) => <Loaded environment={environment} />}</EnvironmentPage>
}

function Loaded({ environment }: { environment: Head }) {
  const { id, cliEnvName: env } = environment
  const { data, refusals, refetch } = useData(Settings, {
    variables: { env },
    readAgainOn: (event) => event.appEnvId === id && event.type === 'APP_ENV_UPDATED',
  })
  const settings = data?.appEnv
  if (!settings) return refusals[0] ? <Refused refusal={refusals[0]} onRetry={refetch} /> : <Skeleton lines={10} />
  return <Groups key={id} environment={environment} settings={settings} />
}

export interface GroupProps {
  env: string
  settings: SettingsOf
}

function Groups({ environment, settings }: { environment: Head; settings: SettingsOf }) {
  const { cliEnvName: env, account } = environment
  const isService = settings.dockerPresetVersion !== null
  const isFunction = settings.functionConfig !== null
  const isJob = settings.app.type === 'JOB'
  const of = { env, settings }
  return (
    <>
      <SizeSetting {...of} accountId={account.id} />
      {isFunction && <FunctionSetting {...of} />}
      {!isFunction && !isJob && !isService && <ScalingSetting {...of} />}
      {isService && <ServiceSetting {...of} />}
      {!isService && !isJob && <HealthSetting {...of} />}
      {!isService && !settings.app.useImage && <BranchSetting {...of} />}
      {!isService && !settings.app.useImage && <AutoDeploySetting {...of} />}
      {!isService && !isJob && <StartSetting {...of} />}
      {!isService && <ReleaseSetting {...of} />}
      {!isService && <ContainerSetting {...of} />}
      {!isService && <VolumeSetting {...of} />}
      <NameSetting {...of} />
      <Deletion environment={environment} settings={settings} />
    </>
  )
}

const TYPES = [
  { value: '', label: 'As the app has it' },
  { value: 'HTTP', label: 'HTTP: a path answers 2xx or 3xx' },
  { value: 'TCP', label: 'TCP: the port takes connections' },
  { value: 'COMMAND', label: 'Command: a program exits with 0' },
  { value: 'NONE', label: 'None: it serves no requests' },
]

type Check = NonNullable<SettingsOf['healthCheck']>

/** As inputs have it: what is not set is left out. */
const probeIn = (probe: Check['liveness']) => {
  if (!probe) return null
  const { headers, ...rest } = probe
  return { ...withoutTypes(rest), headers: headers.map(withoutTypes) }
}

const withoutTypes = <Value extends object>(value: Value): Omit<Value, '__typename'> => {
  const { __typename: _, ...rest } = value as Value & { __typename?: string }
  return rest
}

function HealthSetting({ env, settings }: GroupProps) {
  const { app, healthCheck } = settings
  const ofApp = [app.healthCheck.type, app.healthCheck.path, app.healthCheck.port].filter(Boolean).join(' ')
  return (
    <EnvironmentSetting
      title="Health check"
      env={env}
      settings={settings}
      mutation={ChangeHealthcheck}
      warningOf={(answer) => answer.changeHealthcheck?.warning}
      fieldsOf={({ healthCheck: check }) => ({
        type: shown(check?.type),
        path: shown(check?.path),
        port: shown(check?.port),
        command: shownLines(check?.command),
        initialDelaySeconds: shown(check?.initialDelaySeconds),
        periodSeconds: shown(check?.periodSeconds),
        timeoutSeconds: shown(check?.timeoutSeconds),
        failureThreshold: shown(check?.failureThreshold),
      })}
      inputOf={(fields) => {
        const number = (name: string) => {
          const value = numberIn(fields[name])
          return value === null ? {} : { [name]: value }
        }
        const command = linesIn(fields.command)
        return {
          ...(fields.type ? { type: fields.type as NonNullable<Check['type']> } : {}),
          path: textIn(fields.path),
          port: numberIn(fields.port),
          ...(command.length > 0 ? { command } : {}),
          ...number('initialDelaySeconds'),
          ...number('periodSeconds'),
          ...number('timeoutSeconds'),
          ...number('failureThreshold'),
          ...(healthCheck?.headers ? { headers: healthCheck.headers.map(withoutTypes) } : {}),
          liveness: probeIn(healthCheck?.liveness ?? null),
          readiness: probeIn(healthCheck?.readiness ?? null),
          startup: probeIn(healthCheck?.startup ?? null),
        }
      }}
    >
      {(fields) => (
        <>
          <SelectField
            name="type"
            label="How a container is found ready"
            options={TYPES}
            defaultValue={fields.type}
            help={`The app has: ${ofApp || 'TCP'}. Empty fields are the app’s.`}
          />
          {fields.type !== 'NONE' && fields.type !== 'COMMAND' && (
            <div className={styles.columns}>
              <TextField
                name="path"
                label="Path"
                defaultValue={fields.path}
                placeholder={app.healthCheck.path ?? '/'}
              />
              <TextField name="port" label="Port" type="number" defaultValue={fields.port} />
            </div>
          )}
          {fields.type === 'COMMAND' && (
            <TextAreaField
              name="command"
              label="Program and arguments, one a line"
              rows={3}
              defaultValue={fields.command}
              help="Without a shell."
            />
          )}
          <details>
            <summary>Times</summary>
            <div className={styles.columns}>
              <TextField
                name="initialDelaySeconds"
                label="Seconds before the first check"
                type="number"
                defaultValue={fields.initialDelaySeconds}
              />
              <TextField
                name="periodSeconds"
                label="Seconds between two checks"
                type="number"
                defaultValue={fields.periodSeconds}
              />
              <TextField
                name="timeoutSeconds"
                label="Seconds that a check may take"
                type="number"
                placeholder="5"
                defaultValue={fields.timeoutSeconds}
              />
              <TextField
                name="failureThreshold"
                label="Failures in a row that make it unready"
                type="number"
                placeholder="3"
                defaultValue={fields.failureThreshold}
              />
            </div>
          </details>
        </>
      )}
    </EnvironmentSetting>
  )
}

function BranchSetting({ env, settings }: GroupProps) {
  return (
    <EnvironmentSetting
      title="Branch"
      env={env}
      settings={settings}
      mutation={ChangeBranch}
      fieldsOf={({ gitBranch }) => ({ gitBranch: shown(gitBranch) })}
      inputOf={({ gitBranch = '' }) => ({ gitBranch })}
    >
      {(fields) => (
        <TextField
          name="gitBranch"
          label="Git branch that it is built from"
          defaultValue={fields.gitBranch}
          help="Applying a change builds the newest commit of it."
        />
      )}
    </EnvironmentSetting>
  )
}

const withTimeout = (fields: Readonly<Record<string, string>>) => {
  const value = numberIn(fields['releaseCommand.timeoutSeconds'])
  return value === null ? {} : { timeoutSeconds: value }
}

function ReleaseSetting({ env, settings }: GroupProps) {
  const name = 'releaseCommand'
  return (
    <EnvironmentSetting
      title="Release command"
      env={env}
      settings={settings}
      mutation={UpdateEnvironment}
      fieldsOf={({ releaseCommand: one }) => ({
        [`${name}.command`]: shown(one?.command),
        [`${name}.args`]: shownLines(one?.args),
        [`${name}.shell`]: shown(one?.shell ?? true),
        [`${name}.workingDir`]: shown(one?.workingDir),
        [`${name}.timeoutSeconds`]: shown(one?.timeoutSeconds),
      })}
      inputOf={(fields) => ({
        releaseCommand: textIn(fields[`${name}.command`])
          ? {
              command: fields[`${name}.command`] ?? '',
              args: linesIn(fields[`${name}.args`]),
              shell: isTrue(fields[`${name}.shell`]),
              workingDir: textIn(fields[`${name}.workingDir`]),
              ...withTimeout(fields),
            }
          : null,
      })}
    >
      {(fields) => (
        <>
          <p className="soft">
            Each new version runs it once, in a container of its own, before its containers start: a migration, for
            example. When it fails, the deployment fails and the old version keeps running.
          </p>
          <TextField
            name={`${name}.command`}
            label="Command"
            defaultValue={fields[`${name}.command`]}
            help="Empty: none."
          />
          <CommandFields name={name} fields={fields} />
          <TextField
            name={`${name}.timeoutSeconds`}
            label="Seconds after which it is ended"
            type="number"
            placeholder="600"
            defaultValue={fields[`${name}.timeoutSeconds`]}
          />
        </>
      )}
    </EnvironmentSetting>
  )
}

function CommandFields({ name, fields }: { name: string; fields: Readonly<Record<string, string>> }) {
  return (
    <>
      <TextAreaField
        name={`${name}.args`}
        label="Arguments, one a line"
        rows={2}
        defaultValue={fields[`${name}.args`]}
      />
      <div className={styles.columns}>
        <CheckField
          name={`${name}.shell`}
          label="Run by /bin/sh -lc"
          defaultChecked={isTrue(fields[`${name}.shell`])}
        />
        <TextField name={`${name}.workingDir`} label="Working directory" defaultValue={fields[`${name}.workingDir`]} />
      </div>
    </>
  )
}

function StartSetting({ env, settings }: GroupProps) {
  const name = 'startupConfig'
  return (
    <EnvironmentSetting
      title="Startup command"
      env={env}
      settings={settings}
      mutation={UpdateEnvironment}
      fieldsOf={({ startupConfig: one }) => ({
        [`${name}.command`]: shown(one?.command),
        [`${name}.args`]: shownLines(one?.args),
        [`${name}.shell`]: shown(one?.shell ?? true),
        [`${name}.workingDir`]: shown(one?.workingDir),
      })}
      inputOf={(fields) => {
        const command = textIn(fields[`${name}.command`])
        const args = linesIn(fields[`${name}.args`])
        const workingDir = textIn(fields[`${name}.workingDir`])
        const isNone = command === null && args.length === 0 && workingDir === null
        return {
          startupConfig: isNone ? null : { command, args, workingDir, shell: isTrue(fields[`${name}.shell`]) },
        }
      }}
    >
      {(fields) => (
        <>
          <TextField
            name={`${name}.command`}
            label="Command in place of the image’s entry point"
            defaultValue={fields[`${name}.command`]}
            help="Empty: the entry point stays, and gets the arguments."
          />
          <CommandFields name={name} fields={fields} />
        </>
      )}
    </EnvironmentSetting>
  )
}

function ContainerSetting({ env, settings }: GroupProps) {
  const at = (field: string) => `containerSettings.${field}`
  return (
    <EnvironmentSetting
      title="Containers"
      env={env}
      settings={settings}
      mutation={UpdateEnvironment}
      fieldsOf={({ containerSettings: one }) => ({
        [at('user')]: shown(one?.user),
        [at('workingDir')]: shown(one?.workingDir),
        [at('hostname')]: shown(one?.hostname),
        [at('stopSignal')]: shown(one?.stopSignal),
        [at('stopGraceSeconds')]: shown(one?.stopGraceSeconds),
        [at('sharedMemoryMb')]: shown(one?.sharedMemoryMb),
        [at('init')]: shown(one?.init ?? true),
        [at('readOnlyRoot')]: shown(one?.readOnlyRoot),
        [at('dropCapabilities')]: shownLines(one?.dropCapabilities),
        [at('tmpfs')]: shownLines(one?.tmpfs?.map(({ path, sizeMb }) => [path, sizeMb].filter(Boolean).join(' '))),
        [at('ulimits')]: shownLines(one?.ulimits?.map(({ name, soft, hard }) => `${name} ${soft} ${hard}`)),
      })}
      inputOf={(fields) => {
        const text = (field: string) => {
          const value = textIn(fields[at(field)])
          return value === null ? {} : { [field]: value }
        }
        const number = (field: string) => {
          const value = numberIn(fields[at(field)])
          return value === null ? {} : { [field]: value }
        }
        const some = <Item,>(field: string, items: Item[]) => (items.length > 0 ? { [field]: items } : {})
        const given = {
          ...text('user'),
          ...text('workingDir'),
          ...text('hostname'),
          ...text('stopSignal'),
          ...number('stopGraceSeconds'),
          ...number('sharedMemoryMb'),
          ...(isTrue(fields[at('init')]) ? {} : { init: false }),
          ...(isTrue(fields[at('readOnlyRoot')]) ? { readOnlyRoot: true } : {}),
          ...some('dropCapabilities', linesIn(fields[at('dropCapabilities')])),
          ...some(
            'tmpfs',
            linesIn(fields[at('tmpfs')]).map((line) => {
              const [path = '', size] = line.split(/\s+/)
              return { path, ...(size ? { sizeMb: Number(size) } : {}) }
            }),
          ),
          ...some(
            'ulimits',
            linesIn(fields[at('ulimits')]).map((line) => {
              const [name = '', soft = '', hard = soft] = line.split(/\s+/)
              return { name, soft: Number(soft), hard: Number(hard) }
            }),
          ),
        }
        return { containerSettings: Object.keys(given).length > 0 ? given : null }
      }}
    >
      {(fields) => (
        <>
          <div className={styles.columns}>
            <TextField
              name={at('user')}
              label="User that the program runs as"
              placeholder="that of the image"
              defaultValue={fields[at('user')]}
            />
            <TextField name={at('workingDir')} label="Working directory" defaultValue={fields[at('workingDir')]} />
            <TextField name={at('hostname')} label="Host name in the container" defaultValue={fields[at('hostname')]} />
            <TextField
              name={at('stopSignal')}
              label="Signal that asks it to end"
              placeholder="SIGTERM"
              defaultValue={fields[at('stopSignal')]}
            />
            <TextField
              name={at('stopGraceSeconds')}
              label="Seconds until SIGKILL"
              type="number"
              defaultValue={fields[at('stopGraceSeconds')]}
            />
            <TextField
              name={at('sharedMemoryMb')}
              label="Size of /dev/shm in MB"
              type="number"
              placeholder="64"
              defaultValue={fields[at('sharedMemoryMb')]}
            />
          </div>
          <CheckField
            name={at('init')}
            label="A small first process passes signals on"
            defaultChecked={isTrue(fields[at('init')])}
            help="Off for an image that has one of its own."
          />
          <CheckField
            name={at('readOnlyRoot')}
            label="Only volumes and folders in memory can be written"
            defaultChecked={isTrue(fields[at('readOnlyRoot')])}
          />
          <details>
            <summary>Folders in memory, limits, capabilities</summary>
            <div className="stack">
              <TextAreaField
                name={at('tmpfs')}
                label="Folders in memory, one a line: path and size in MB"
                rows={2}
                placeholder="/tmp 64"
                defaultValue={fields[at('tmpfs')]}
              />
              <TextAreaField
                name={at('ulimits')}
                label="Limits of each process, one a line: name, soft and hard limit"
                rows={2}
                placeholder="nofile 4096 8192"
                defaultValue={fields[at('ulimits')]}
              />
              <TextAreaField
                name={at('dropCapabilities')}
                label="Capabilities that it shall not have, one a line"
                rows={2}
                placeholder="ALL"
                defaultValue={fields[at('dropCapabilities')]}
              />
            </div>
          </details>
        </>
      )}
    </EnvironmentSetting>
  )
}

function NameSetting({ env, settings }: GroupProps) {
  return (
    <EnvironmentSetting
      title="Name and protection"
      env={env}
      settings={settings}
      mutation={UpdateEnvironment}
      saved="Saved."
      fieldsOf={({ name, preventDestroy, allowUserCliToken, labels }) => ({
        name,
        labels: shownLines(labels.map(({ key, value }) => `${key}=${value}`)),
        preventDestroy: shown(preventDestroy),
        allowUserCliToken: shown(allowUserCliToken),
      })}
      inputOf={(fields) => {
        const labels = linesIn(fields.labels).map((line) => {
          const [key = '', ...rest] = line.split('=')
          return { key: key.trim(), value: rest.join('=').trim() }
        })
        const kept = new Set(labels.map(({ key }) => key))
        const removed = settings.labels.filter(({ key }) => !kept.has(key)).map(({ key }) => ({ key, value: null }))
        return {
          ...(fields.name === settings.name ? {} : { name: fields.name ?? '' }),
          labels: [...labels, ...removed],
          preventDestroy: isTrue(fields.preventDestroy),
          allowUserCliToken: isTrue(fields.allowUserCliToken),
        }
      }}
    >
      {(fields) => (
        <>
          <TextField
            name="name"
            label="Name"
            defaultValue={fields.name}
            required
            help={
              <>
                Its name in commands, <code>{env}</code>, and its hosts stay as they are.
              </>
            }
          />
          <TextAreaField
            name="labels"
            label="Labels, one a line"
            rows={2}
            placeholder="team=shop"
            defaultValue={fields.labels}
            help="No secrets: members, webhooks and the audit log see them."
          />
          <CheckField
            name="preventDestroy"
            label="Refuse to delete it"
            defaultChecked={isTrue(fields.preventDestroy)}
            help="It has to be turned off first, by anyone who wants to delete it."
          />
          <CheckField
            name="allowUserCliToken"
            label="Tokens of users act as its own token in the command line"
            defaultChecked={isTrue(fields.allowUserCliToken)}
          />
        </>
      )}
    </EnvironmentSetting>
  )
}

import { useClient } from 'urql'
import { useMissing } from '../../account/session.tsx'
import type { VariablesOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { CheckField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import styles from '../../ui/setting.module.css'
import {
  type Fields,
  isTrue,
  linesIn,
  numberIn,
  Setting,
  type SettingProps,
  shown,
  shownLines,
  textIn,
} from '../../ui/setting.tsx'
import type { App } from './app.ts'
import { AppNow, RegistryCredentials, UpdateApp } from './documents.ts'

type Settings = Omit<App, 'account' | 'appEnvs'>
type Input = VariablesOf<typeof UpdateApp>['input']

interface AppSettingProps
  extends Pick<SettingProps<Settings, unknown, Input>, 'title' | 'fieldsOf' | 'children' | 'saved'> {
  app: App
  inputOf: (fields: Fields) => Omit<Input, 'appId' | 'idempotencyKey' | 'expectedVersion'>
}

/** A group of settings of the app; what environments run waits, in each of them, until it is applied there. */
function AppSetting({ app, inputOf, ...rest }: AppSettingProps) {
  const client = useClient()
  const missing = useMissing('app:change')
  return (
    <Setting
      saved="Saved. Each environment runs it once it is applied there."
      {...rest}
      draftKey={`app.${app.id}.${rest.title}`}
      of={app as Settings & { version: number }}
      missing={missing}
      mutation={UpdateApp}
      inputOf={(fields) => ({ ...inputOf(fields), appId: app.id })}
      readNow={async () => {
        const { data } = await client.query(AppNow, { id: app.id }, { requestPolicy: 'network-only' }).toPromise()
        return data?.app ?? null
      }}
    />
  )
}

export function NameSetting({ app }: { app: App }) {
  return (
    <AppSetting
      title="Name and labels"
      app={app}
      saved="Saved."
      fieldsOf={({ name, labels }) => ({ name, labels: shownLines(labels.map(({ key, value }) => `${key}=${value}`)) })}
      inputOf={(fields) => {
        const labels = linesIn(fields.labels).map((line) => {
          const [key = '', ...rest] = line.split('=')
          return { key: key.trim(), value: rest.join('=').trim() }
        })
        const kept = new Set(labels.map(({ key }) => key))
        const removed = app.labels.filter(({ key }) => !kept.has(key)).map(({ key }) => ({ key, value: null }))
        return { ...(fields.name === app.name ? {} : { name: fields.name ?? '' }), labels: [...labels, ...removed] }
      }}
    >
      {(fields) => (
        <>
          <TextField
            name="name"
            label="Name"
            required
            defaultValue={fields.name}
            help="Names of its environments in commands, and their hosts, stay as they are."
          />
          <TextAreaField
            name="labels"
            label="Labels, one a line"
            rows={2}
            placeholder="team=shop"
            defaultValue={fields.labels}
            help="No secrets: members, webhooks and the audit log see them."
          />
        </>
      )}
    </AppSetting>
  )
}

/** Names of credentials, where the person may read them; else the one that is set stays. */
function useCredentials(accountId: string, present: string | null) {
  const { data } = useData(RegistryCredentials, { variables: { accountId } })
  const known = data?.credentials?.nodes ?? []
  return [
    { value: '', label: 'None, or the default of the account' },
    ...known.map(({ id, name }) => ({ value: id, label: name })),
    ...(present && !known.some(({ id }) => id === present) ? [{ value: present, label: present }] : []),
  ]
}

const headersOf = (lines: readonly string[]) =>
  lines.map((line) => {
    const [key = '', ...rest] = line.split(':')
    return { key: key.trim(), value: rest.join(':').trim() }
  })

const CHECKS = [
  { value: 'HTTP', label: 'HTTP: a path answers 2xx or 3xx' },
  { value: 'TCP', label: 'TCP: the port takes connections' },
  { value: 'COMMAND', label: 'Command: a program exits with 0' },
  { value: 'NONE', label: 'None: it serves no requests' },
]

export function ImageSetting({ app }: { app: App }) {
  const credentials = useCredentials(app.account.id, app.imagePullAccountSecretId)
  const isServing = app.type !== 'JOB'
  return (
    <AppSetting
      title="What runs"
      app={app}
      fieldsOf={(of) => ({
        useImage: shown(of.useImage),
        image: shown(of.image),
        imagePullAccountSecretId: shown(of.imagePullAccountSecretId),
        port: shown(of.port),
        'healthCheck.type': of.healthCheck.type,
        'healthCheck.path': shown(of.healthCheck.path),
        'healthCheck.port': shown(of.healthCheck.port),
        'healthCheck.command': shownLines(of.healthCheck.command),
        'healthCheck.headers': shownLines(of.healthCheck.headers?.map(({ key, value }) => `${key}: ${value}`)),
        'healthCheck.timeoutSeconds': shown(of.healthCheck.timeoutSeconds),
      })}
      inputOf={(fields) => {
        const type = (fields['healthCheck.type'] ?? 'TCP') as 'HTTP' | 'TCP' | 'COMMAND' | 'NONE'
        const { periodSeconds, initialDelaySeconds, failureThreshold } = app.healthCheck
        const headers = headersOf(linesIn(fields['healthCheck.headers']))
        const port = numberIn(fields.port)
        const checkPort = numberIn(fields['healthCheck.port'])
        const timeoutSeconds = numberIn(fields['healthCheck.timeoutSeconds'])
        const kept = Object.fromEntries(
          Object.entries({ periodSeconds, initialDelaySeconds, failureThreshold, timeoutSeconds }).filter(
            ([, value]) => value !== null,
          ),
        )
        return {
          useImage: isTrue(fields.useImage),
          ...(isTrue(fields.useImage)
            ? { image: fields.image ?? '', imagePullAccountSecretId: fields.imagePullAccountSecretId ?? '' }
            : {}),
          ...(port === null ? {} : { port }),
          ...(isServing
            ? {
                healthCheck: {
                  type,
                  ...kept,
                  ...(type === 'HTTP' ? { path: textIn(fields['healthCheck.path']), headers } : {}),
                  ...(type === 'COMMAND' ? { command: linesIn(fields['healthCheck.command']) } : {}),
                  ...(checkPort !== null && (type === 'HTTP' || type === 'TCP') ? { port: checkPort } : {}),
                },
              }
            : {}),
        }
      }}
    >
      {(fields) => (
        <>
          <CheckField
            name="useImage"
            label="It runs an image that was built elsewhere"
            defaultChecked={isTrue(fields.useImage)}
            help="Else its source is built here."
          />
          {isTrue(fields.useImage) && (
            <div className={styles.columns}>
              <TextField
                name="image"
                label="Image"
                required
                placeholder="ghcr.io/acme/shop:1.4"
                defaultValue={fields.image}
              />
              <SelectField
                name="imagePullAccountSecretId"
                label="Credential of its registry"
                options={credentials}
                defaultValue={fields.imagePullAccountSecretId}
              />
            </div>
          )}
          {isServing && (
            <>
              <TextField
                name="port"
                label="Port that it listens on"
                type="number"
                defaultValue={fields.port}
                help="Programs find it in PORT."
              />
              <SelectField
                name="healthCheck.type"
                label="How a container is found ready"
                options={CHECKS}
                defaultValue={fields['healthCheck.type']}
              />
              {fields['healthCheck.type'] === 'HTTP' && (
                <div className={styles.columns}>
                  <TextField
                    name="healthCheck.path"
                    label="Path"
                    placeholder="/"
                    defaultValue={fields['healthCheck.path']}
                  />
                  <TextField
                    name="healthCheck.port"
                    label="Another port than the app’s"
                    type="number"
                    defaultValue={fields['healthCheck.port']}
                  />
                  <TextField
                    name="healthCheck.timeoutSeconds"
                    label="Seconds that a check may take"
                    type="number"
                    placeholder="5"
                    defaultValue={fields['healthCheck.timeoutSeconds']}
                  />
                </div>
              )}
              {fields['healthCheck.type'] === 'HTTP' && (
                <TextAreaField
                  name="healthCheck.headers"
                  label="Headers of the request, one a line"
                  rows={2}
                  placeholder="Host: shop.example.com"
                  defaultValue={fields['healthCheck.headers']}
                />
              )}
              {fields['healthCheck.type'] === 'COMMAND' && (
                <TextAreaField
                  name="healthCheck.command"
                  label="Program and arguments, one a line"
                  rows={3}
                  defaultValue={fields['healthCheck.command']}
                />
              )}
            </>
          )}
        </>
      )}
    </AppSetting>
  )
}

export function SourceSetting({ app }: { app: App }) {
  return (
    <AppSetting
      title="Source"
      app={app}
      fieldsOf={({ gitRepo, gitNamespace }) => ({ gitRepo: shown(gitRepo), gitNamespace: shown(gitNamespace) })}
      inputOf={(fields) => ({
        ...(textIn(fields.gitRepo) === null ? {} : { gitRepo: fields.gitRepo ?? '' }),
        ...(textIn(fields.gitNamespace) === null ? {} : { gitNamespace: fields.gitNamespace ?? '' }),
      })}
    >
      {(fields) => (
        <>
          <TextField
            name="gitRepo"
            label="Git repository"
            placeholder="https://git.example.com/acme/shop"
            defaultValue={fields.gitRepo}
            help={
              app.isCliDeployment
                ? 'Its source is uploaded. With a repository, its branches are built.'
                : 'Its name, or its https address.'
            }
          />
          <TextField
            name="gitNamespace"
            label="Owner"
            placeholder="acme"
            defaultValue={fields.gitNamespace}
            help="Of a repository that is given by its name."
          />
        </>
      )}
    </AppSetting>
  )
}

export function BuildSetting({ app }: { app: App }) {
  const credentials = useCredentials(app.account.id, app.buildPullAccountSecretId)
  const { cpu, memoryMb, timeoutSeconds } = app.buildLimits
  return (
    <AppSetting
      title="Build"
      app={app}
      saved="Saved. The next build follows it."
      fieldsOf={(of) => ({
        builder: of.builder,
        contextDir: of.contextDir,
        dockerfilePath: shown(of.dockerfilePath),
        customDockerfileContent: shown(of.customDockerfileContent),
        buildTarget: shown(of.buildTarget),
        buildArgs: shown(of.buildArgs),
        buildPullAccountSecretId: shown(of.buildPullAccountSecretId),
        'buildResources.cpu': shown(of.buildResources.cpu),
        'buildResources.memoryMb': shown(of.buildResources.memoryMb),
        'buildResources.timeoutSeconds': shown(of.buildResources.timeoutSeconds),
      })}
      inputOf={(fields) => {
        const own = textIn(fields.customDockerfileContent)
        const hadOwn = textIn(app.customDockerfileContent ?? '') !== null
        return {
          builder: fields.builder as App['builder'],
          contextDir: fields.contextDir ?? '',
          ...(own !== null
            ? { customDockerfileContent: own }
            : { ...(hadOwn ? { customDockerfileContent: '' } : {}), dockerfilePath: fields.dockerfilePath ?? '' }),
          buildTarget: fields.buildTarget ?? '',
          buildArgs: fields.buildArgs ?? '',
          buildPullAccountSecretId: fields.buildPullAccountSecretId ?? '',
          buildResources: {
            cpu: numberIn(fields['buildResources.cpu']),
            memoryMb: numberIn(fields['buildResources.memoryMb']),
            timeoutSeconds: numberIn(fields['buildResources.timeoutSeconds']),
            diskMb: app.buildResources.diskMb,
          },
        }
      }}
    >
      {(fields) => (
        <>
          <SelectField
            name="builder"
            label="Builder"
            defaultValue={fields.builder}
            options={[
              { value: 'DOCKER', label: 'Docker builds a Dockerfile' },
              { value: 'NIXPACKS', label: 'Nixpacks finds out how to build the source' },
            ]}
          />
          <div className={styles.columns}>
            <TextField
              name="contextDir"
              label="Folder that is built"
              placeholder="."
              defaultValue={fields.contextDir}
            />
            <TextField
              name="dockerfilePath"
              label="Path of the Dockerfile"
              placeholder="Dockerfile"
              defaultValue={fields.dockerfilePath}
            />
            <TextField
              name="buildTarget"
              label="Stage to build"
              placeholder="the last one"
              defaultValue={fields.buildTarget}
            />
          </div>
          <TextAreaField
            name="buildArgs"
            label="Build arguments, one a line"
            rows={2}
            placeholder="NODE_ENV=production"
            defaultValue={fields.buildArgs}
          />
          <TextAreaField
            name="customDockerfileContent"
            label="Dockerfile, in place of that of the source"
            rows={4}
            defaultValue={fields.customDockerfileContent}
          />
          <SelectField
            name="buildPullAccountSecretId"
            label="Credential for base images"
            options={credentials}
            defaultValue={fields.buildPullAccountSecretId}
          />
          <div className={styles.columns}>
            <TextField
              name="buildResources.cpu"
              label="CPU of a build"
              type="number"
              step="any"
              placeholder={String(cpu)}
              defaultValue={fields['buildResources.cpu']}
            />
            <TextField
              name="buildResources.memoryMb"
              label="Memory of a build in MB"
              type="number"
              placeholder={String(memoryMb)}
              defaultValue={fields['buildResources.memoryMb']}
            />
            <TextField
              name="buildResources.timeoutSeconds"
              label="Seconds that a build may take"
              type="number"
              placeholder={String(timeoutSeconds)}
              defaultValue={fields['buildResources.timeoutSeconds']}
            />
          </div>
        </>
      )}
    </AppSetting>
  )
}

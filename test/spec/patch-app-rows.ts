type Fields = Record<string, unknown>

/** One row, or combination of rows, of §4.2's table for PATCH /app. */
export interface PatchRow {
  title: string
  /** Fields of POST /app that the app had before, in addition to name, account and port. */
  app?: Fields
  patch: Fields
  /** Columns of the app afterwards; for a refusal, the fields that it names. */
  becomes: Fields | { refused: string[] }
  /** Kinds and names of the pending changes in an environment that ran the image nginx:1, or was built. */
  pending?: string[]
}

const SOURCE = { useImage: false, image: undefined, gitRepo: 'https://git.example.com/shop.git' }
const INLINE = { ...SOURCE, customDockerfileContent: 'FROM scratch' }
const EXPRESS = { ...SOURCE, dockerPreset: 'EXPRESS', dockerPresetVersion: 'EXPRESS_NODE_JS_20' }
const CHECKED = { healthCheckPath: '/ok', healthCheckPort: 9000, healthCheckHeaders: { 'X-A': '1' } }
const JOB = { dockerPreset: 'JOB', port: undefined }
/** Stands for the id of a registry credential of the account. */
export const LOGIN = 'the registry login of the account'

const row = (
  title: string,
  app: Fields,
  patch: Fields,
  becomes: PatchRow['becomes'],
  pending?: string[],
): PatchRow => ({
  title,
  app,
  patch,
  becomes,
  ...(pending ? { pending } : {}),
})
const refused = (...fields: string[]) => ({ refused: fields })

const dockerfiles: PatchRow[] = [
  row('dockerfilePath', SOURCE, { dockerfilePath: 'a/Dockerfile' }, { dockerfilePath: 'a/Dockerfile' }, [
    'BUILD dockerfilePath',
  ]),
  row(
    'dockerfilePath in place of inline content',
    INLINE,
    { dockerfilePath: 'D' },
    { dockerfilePath: 'D', customDockerfileContent: null },
    ['BUILD dockerfilePath', 'BUILD customDockerfileContent'],
  ),
  row(
    'dockerfilePath, cleared',
    { ...SOURCE, dockerfilePath: 'D' },
    { dockerfilePath: '' },
    { dockerfilePath: 'Dockerfile' },
    ['BUILD dockerfilePath'],
  ),
  row(
    'dockerfilePath, cleared beside a preset',
    { ...EXPRESS, dockerfilePath: 'D' },
    { dockerfilePath: '' },
    { dockerfilePath: null },
    ['BUILD dockerfilePath'],
  ),
  row('dockerfilePath outside of the source', SOURCE, { dockerfilePath: '../Dockerfile' }, refused('dockerfilePath')),
  row(
    'customDockerfileContent in place of a path',
    SOURCE,
    { customDockerfileContent: 'FROM a' },
    { customDockerfileContent: 'FROM a', dockerfilePath: null },
    ['BUILD dockerfilePath', 'BUILD customDockerfileContent'],
  ),
  row(
    'customDockerfileContent, cleared',
    INLINE,
    { customDockerfileContent: '' },
    { customDockerfileContent: null, dockerfilePath: 'Dockerfile' },
    ['BUILD dockerfilePath', 'BUILD customDockerfileContent'],
  ),
  row(
    'dockerfilePath with customDockerfileContent',
    SOURCE,
    { dockerfilePath: 'D', customDockerfileContent: 'FROM a' },
    refused('dockerfilePath'),
  ),
  row(
    'dockerfilePath with customDockerfileContent cleared',
    INLINE,
    { dockerfilePath: 'D', customDockerfileContent: '' },
    { dockerfilePath: 'D', customDockerfileContent: null },
  ),
  row(
    'customDockerfileContent with dockerfilePath cleared',
    SOURCE,
    { dockerfilePath: '', customDockerfileContent: 'FROM a' },
    { dockerfilePath: null, customDockerfileContent: 'FROM a' },
  ),
]

const presets: PatchRow[] = [
  ...['NODE', 'METEOR', 'PYTHON', 'NEXT_JS'].map((preset) =>
    row(`dockerPreset ${preset}`, SOURCE, { dockerPreset: preset }, { dockerPreset: preset, dockerfilePath: null }, [
      'BUILD dockerPreset',
      'BUILD dockerfilePath',
    ]),
  ),
  row(
    'dockerPreset to CUSTOM',
    EXPRESS,
    { dockerPreset: 'CUSTOM' },
    { dockerPreset: 'CUSTOM', dockerfilePath: 'Dockerfile', dockerPresetVersion: null },
    ['BUILD dockerPreset', 'BUILD dockerPresetVersion', 'BUILD dockerfilePath'],
  ),
  row(
    'dockerPreset to CUSTOM, with inline content there',
    { ...EXPRESS, customDockerfileContent: 'FROM a' },
    { dockerPreset: 'CUSTOM' },
    { dockerfilePath: 'Dockerfile', customDockerfileContent: null },
  ),
  row(
    'dockerPreset to CUSTOM with dockerfilePath',
    EXPRESS,
    { dockerPreset: 'CUSTOM', dockerfilePath: 'D' },
    { dockerfilePath: 'D' },
  ),
  row(
    'dockerPreset to CUSTOM with customDockerfileContent',
    EXPRESS,
    { dockerPreset: 'CUSTOM', customDockerfileContent: 'FROM a' },
    { dockerfilePath: null, customDockerfileContent: 'FROM a' },
    ['BUILD dockerPreset', 'BUILD dockerPresetVersion', 'BUILD customDockerfileContent'],
  ),
  row(
    'dockerPreset to CUSTOM with both',
    EXPRESS,
    { dockerPreset: 'CUSTOM', dockerfilePath: 'D', customDockerfileContent: 'FROM a' },
    refused('dockerfilePath'),
  ),
  row(
    'dockerPreset CUSTOM again',
    { ...SOURCE, dockerfilePath: 'D' },
    { dockerPreset: 'CUSTOM' },
    { dockerfilePath: 'D' },
    [],
  ),
  row('dockerPreset of another type', SOURCE, { dockerPreset: 'JOB' }, refused('dockerPreset')),
  row('dockerPreset that is none', SOURCE, { dockerPreset: 'COBOL' }, refused('dockerPreset')),
]

const build: PatchRow[] = [
  row('builder DOCKER', { ...SOURCE, builder: 'NIXPACKS' }, { builder: 'DOCKER' }, { builder: 'DOCKER' }),
  row('builder NIXPACKS', SOURCE, { builder: 'NIXPACKS' }, { builder: 'NIXPACKS' }, ['BUILD builder']),
  row('builder that is none', SOURCE, { builder: 'MAKE' }, refused('builder')),
  row('contextDir', SOURCE, { contextDir: './api' }, { contextDir: './api' }, ['BUILD contextDir']),
  row('contextDir, cleared', { ...SOURCE, contextDir: './api' }, { contextDir: '' }, { contextDir: './' }, [
    'BUILD contextDir',
  ]),
  row('contextDir outside of the source', SOURCE, { contextDir: '../api' }, refused('contextDir')),
  row('buildArgs', SOURCE, { buildArgs: 'A=1 B="two words"' }, { buildArgs: 'A=1 B="two words"' }, ['BUILD buildArgs']),
  row('buildArgs, cleared', { ...SOURCE, buildArgs: 'A=1' }, { buildArgs: '' }, { buildArgs: null }, [
    'BUILD buildArgs',
  ]),
  row('buildTarget', SOURCE, { buildTarget: 'builder' }, { buildTarget: 'builder' }, ['BUILD buildTarget']),
  row('buildTarget, cleared', { ...SOURCE, buildTarget: 'builder' }, { buildTarget: '' }, { buildTarget: null }, [
    'BUILD buildTarget',
  ]),
  row('buildTarget that is no name of a stage', SOURCE, { buildTarget: 'a b' }, refused('buildTarget')),
  row('buildArgs that are none', SOURCE, { buildArgs: '--x' }, refused('buildArgs')),
  row('buildPullAccountSecretId', SOURCE, { buildPullAccountSecretId: LOGIN }, { buildPullAccountSecretId: LOGIN }, [
    'BUILD buildPullAccountSecretId',
  ]),
  row(
    'buildPullAccountSecretId, cleared',
    { ...SOURCE, buildPullAccountSecretId: LOGIN },
    { buildPullAccountSecretId: '' },
    { buildPullAccountSecretId: null },
    ['BUILD buildPullAccountSecretId'],
  ),
  row(
    'buildPullAccountSecretId of nobody',
    SOURCE,
    { buildPullAccountSecretId: 'cred_x' },
    refused('buildPullAccountSecretId'),
  ),
]

const images: PatchRow[] = [
  row('useImage false', {}, { useImage: false }, { useImage: false }, ['BUILD useImage']),
  row('useImage true without an image yet', SOURCE, { useImage: true }, { useImage: true }, ['DEPLOY useImage']),
  row('image', {}, { image: 'nginx:2' }, { image: 'nginx:2' }, ['DEPLOY image']),
  row('image on an app built from source', SOURCE, { image: 'nginx:2' }, refused('image')),
  row('image with useImage true', SOURCE, { useImage: true, image: 'nginx:2' }, { useImage: true, image: 'nginx:2' }, [
    'DEPLOY useImage',
    'DEPLOY image',
  ]),
  row('image with useImage false', {}, { useImage: false, image: 'nginx:2' }, refused('image')),
  row('image that is no reference', {}, { image: 'Not An Image' }, refused('image')),
  row('imagePullAccountSecretId', {}, { imagePullAccountSecretId: LOGIN }, { imagePullAccountSecretId: LOGIN }, [
    'DEPLOY imagePullAccountSecretId',
  ]),
  row(
    'imagePullAccountSecretId, cleared',
    { imagePullAccountSecretId: LOGIN },
    { imagePullAccountSecretId: '' },
    { imagePullAccountSecretId: null },
    ['DEPLOY imagePullAccountSecretId'],
  ),
  row(
    'imagePullAccountSecretId of nobody',
    {},
    { imagePullAccountSecretId: 'cred_x' },
    refused('imagePullAccountSecretId'),
  ),
]

const running: PatchRow[] = [
  row('appId of nothing given', {}, { appId: undefined, port: 81 }, refused('appId')),
  row('port', {}, { port: 3001 }, { port: 3001 }, ['DEPLOY port']),
  row('port as it is', {}, { port: 8080 }, { port: 8080 }, []),
  row('port out of range', {}, { port: 65_536 }, refused('port')),
  row('healthCheckPath', {}, { healthCheckPath: '/ok' }, { healthCheckPath: '/ok' }, ['DEPLOY healthCheckPath']),
  row('healthCheckPath, cleared', CHECKED, { healthCheckPath: '' }, { healthCheckPath: null }, [
    'DEPLOY healthCheckPath',
  ]),
  row('healthCheckPath that is no path', {}, { healthCheckPath: 'ok' }, refused('healthCheckPath')),
  row('healthCheckPort', {}, { healthCheckPort: 9001 }, { healthCheckPort: 9001 }, ['DEPLOY healthCheckPort']),
  row('healthCheckPort, by default the port', {}, { healthCheckPath: '/ok' }, { healthCheckPort: null }),
  row('healthCheckHeaders', {}, { healthCheckHeaders: { 'X-A': '1' } }, { healthCheckHeaders: { 'X-A': '1' } }, [
    'DEPLOY healthCheckHeaders',
  ]),
  row('healthCheckHeaders, cleared', CHECKED, { healthCheckHeaders: {} }, { healthCheckHeaders: null }, [
    'DEPLOY healthCheckHeaders',
  ]),
  row(
    'healthCheckHeaders that are no text',
    {},
    { healthCheckHeaders: { 'X-A': 1 } },
    refused('healthCheckHeaders.X-A'),
  ),
  row(
    'path and headers of the health check, cleared at once',
    CHECKED,
    { healthCheckPath: '', healthCheckHeaders: {} },
    { healthCheckPath: null, healthCheckHeaders: null, healthCheckPort: 9000 },
  ),
  row('jobConfig of a Job', JOB, { jobConfig: { command: 'run' } }, { typeConfig: { jobConfig: { command: 'run' } } }, [
    'DEPLOY jobConfig',
  ]),
  row('jobConfig of another app', {}, { jobConfig: { command: 'run' } }, refused('jobConfig')),
  row('name', {}, { name: 'Other' }, { name: 'Other' }),
  row(
    'several fields at once',
    {},
    { port: 81, healthCheckPath: '/a', image: 'nginx:3' },
    { port: 81, healthCheckPath: '/a', image: 'nginx:3' },
    ['DEPLOY image', 'DEPLOY port', 'DEPLOY healthCheckPath'],
  ),
  row('one field that is wrong among others', {}, { port: 81, builder: 'MAKE' }, refused('builder')),
]

export const patchRows: PatchRow[] = [...dockerfiles, ...presets, ...build, ...images, ...running]

import { BuildFailure } from '../../domain/build-failure.ts'
import { dockerfileOf, exec } from './node-image.ts'
import { variableLines } from './node-package.ts'
import type { BuildPreset, DockerfileRequest, SourceFacts } from './preset.ts'

const FROM_PYTHON = 'FROM $PYTHON_IMAGE'

/** The ways to say which packages are needed, the most exact first. */
const INSTALLS: readonly { file: string; install: string }[] = [
  { file: 'uv.lock', install: 'pip install uv && uv sync --frozen --no-dev && mv .venv /venv' },
  { file: 'requirements.txt', install: '/venv/bin/pip install --requirement requirements.txt' },
  { file: 'pyproject.toml', install: '/venv/bin/pip install .' },
]

/** A Python program: its packages in an environment of their own, built apart from what runs. */
export const python: BuildPreset = {
  versions: ['3_11', '3_12', '3_13'],
  defaultVersion: '3_12',
  dockerfile(request) {
    const { facts } = request
    return dockerfileOf(
      [`ARG PYTHON_IMAGE=python:${request.version.replace('_', '.')}-slim-bookworm`],
      buildStage(request),
      [
        FROM_PYTHON,
        'ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1',
        'WORKDIR /app',
        'COPY --from=build /venv /venv',
        'COPY . .',
        // Nobody's number: official images of Python have no user for programs.
        'USER 65534',
        exec(commandOf(facts)),
      ],
    )
  },
}

function buildStage(request: DockerfileRequest): string[] {
  const { facts, hasCacheMounts } = request
  const chosen = INSTALLS.find(({ file }) => facts.files.has(file))
  const mount = hasCacheMounts ? '--mount=type=cache,target=/root/.cache/pip ' : ''
  const copied = ['pyproject.toml', 'uv.lock', 'requirements.txt'].filter((file) => facts.files.has(file))
  return [
    `${FROM_PYTHON} AS build`,
    'WORKDIR /app',
    'RUN python -m venv /venv',
    // A package that is installed by its own pyproject.toml needs its source for that.
    ...(chosen ? [chosen.file === 'pyproject.toml' ? 'COPY . .' : `COPY ${copied.join(' ')} ./`] : []),
    ...variableLines(request),
    ...(chosen ? [`RUN ${mount}${chosen.install}`] : []),
  ]
}

function commandOf({ webProcess, files }: SourceFacts): string[] {
  if (webProcess) return ['/bin/sh', '-c', `exec ${webProcess}`]
  const entry = ['main.py', 'app.py', 'server.py'].find((file) => files.has(file))
  if (entry) return ['python', entry]
  throw new BuildFailure('PRESET_NOT_APPLICABLE', 'There is no Procfile with a web process, and no main.py or app.py')
}

import { BuildFailure } from '../../domain/build-failure.ts'
import { dockerfileOf, exec } from './node-image.ts'
import { cacheMount, variableLines } from './node-package.ts'
import type { BuildPreset, DockerfileRequest, SourceFacts } from './preset.ts'

const FROM_PYTHON = 'FROM $PYTHON_IMAGE'
/** Packages that have to be compiled need what the slim image leaves out. Nothing of it is kept. */
const FROM_PYTHON_BUILD = 'FROM $PYTHON_BUILD_IMAGE'

const tagOf = (version: string): string => version.replace('_', '.')

/** A Python program: its packages in an environment of their own, built apart from what runs. */
export const python: BuildPreset = {
  versions: ['3_11', '3_12', '3_13', '3_14'],
  defaultVersion: '3_12',
  dockerfile(request) {
    const { facts, version } = request
    return dockerfileOf(
      [
        `ARG PYTHON_BUILD_IMAGE=python:${tagOf(version)}-bookworm`,
        `ARG PYTHON_IMAGE=python:${tagOf(version)}-slim-bookworm`,
      ],
      [
        `${FROM_PYTHON_BUILD} AS build`,
        'WORKDIR /app',
        'RUN python -m venv /venv',
        'ENV VIRTUAL_ENV=/venv PATH=/venv/bin:$PATH',
        ...variableLines(request),
        ...installLines(request),
      ],
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

/** By whatever says which packages are needed, the most exact first. They all install where VIRTUAL_ENV says. */
function installLines(request: DockerfileRequest): string[] {
  const { files, requirementsNameFiles } = request.facts
  const run = `RUN ${cacheMount(request, 'python', '/root/.cache')}`
  if (files.has('uv.lock')) {
    // Its own environment is the one that is there; the project itself comes last, so that its packages stay cached.
    const sync = 'uv sync --frozen --no-dev --no-editable --no-python-downloads'
    return [
      'ENV UV_PROJECT_ENVIRONMENT=/venv UV_LINK_MODE=copy',
      `${run}pip install uv`,
      'COPY pyproject.toml uv.lock ./',
      `${run}${sync} --no-install-project`,
      'COPY . .',
      `${run}${sync}`,
    ]
  }
  const copied = (...names: string[]) => `COPY ${names.filter((name) => files.has(name)).join(' ')} ./`
  if (files.has('poetry.lock')) {
    const install = 'poetry install --only main --no-root --no-interaction'
    return [`${run}pip install poetry`, copied('pyproject.toml', 'poetry.lock'), `${run}${install}`]
  }
  if (files.has('Pipfile.lock')) {
    return [`${run}pip install pipenv`, copied('Pipfile', 'Pipfile.lock'), `${run}pipenv sync`]
  }
  if (files.has('requirements.txt')) {
    const source = requirementsNameFiles ? 'COPY . .' : copied('requirements.txt')
    return [source, `${run}pip install --requirement requirements.txt`]
  }
  // A package that is installed by its own pyproject.toml needs its source for that.
  return files.has('pyproject.toml') ? ['COPY . .', `${run}pip install .`] : []
}

function commandOf({ webProcess, files }: SourceFacts): string[] {
  if (webProcess) return ['/bin/sh', '-c', `exec ${webProcess}`]
  const entry = ['main.py', 'app.py', 'server.py'].find((file) => files.has(file))
  if (entry) return ['python', entry]
  throw new BuildFailure('PRESET_NOT_APPLICABLE', 'There is no Procfile with a web process, and no main.py or app.py')
}

import { BuildFailure } from '../../domain/build-failure.ts'
import { dockerfileOf, exec } from './node-image.ts'
import { cacheMount, variableLines } from './node-package.ts'
import type { BuildPreset, DockerfileRequest, SourceFacts } from './preset.ts'

const FROM_PYTHON = 'FROM $PYTHON_IMAGE'
/** Packages that are compiled need tools that the slim image lacks. None of them stay. */
const FROM_PYTHON_BUILD = 'FROM $PYTHON_BUILD_IMAGE'

const tagOf = (version: string): string => version.replace('_', '.')

/** A Python program: its packages go into a virtual environment, built in a separate stage. */
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
        // An arbitrary user id: official Python images have no user for programs.
        'USER 65534',
        exec(commandOf(facts)),
      ],
    )
  },
}

/** By whichever file lists the packages, the most exact first. All install into VIRTUAL_ENV. */
function installLines(request: DockerfileRequest): string[] {
  const { files, requirementsNameFiles } = request.facts
  const run = `RUN ${cacheMount(request, 'python', '/root/.cache')}`
  if (files.has('uv.lock')) {
    // Uses the existing virtual environment; the project itself is installed last, so that its packages stay cached.
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
  // Installing a package by its own pyproject.toml needs its source.
  return files.has('pyproject.toml') ? ['COPY . .', `${run}pip install .`] : []
}

/** A server for production; a framework's own one is for development. */
const WSGI_SERVER = 'gunicorn'
const PORT = '$' + '{PORT:-8000}'
const shell = (command: string): string[] => ['/bin/sh', '-c', `exec ${command}`]

/** A Procfile's command, else the framework's by its packages, else a program of a usual name. */
function commandOf({ webProcess, python: { packages, entry, wsgiModule } }: SourceFacts): string[] {
  if (webProcess) return shell(webProcess)
  if (packages.has('django') && wsgiModule) {
    requireServer(packages, WSGI_SERVER, 'Django')
    return shell(`${WSGI_SERVER} --bind 0.0.0.0:${PORT} ${wsgiModule}:application`)
  }
  if (entry && !entry.startsItself && entry.application) {
    const target = `${entry.file.replace(/\.py$/, '').replaceAll('/', '.')}:${entry.application}`
    if (packages.has('fastapi') || packages.has('starlette')) {
      requireServer(packages, 'uvicorn', packages.has('fastapi') ? 'FastAPI' : 'Starlette')
      return shell(`python -m uvicorn --host 0.0.0.0 --port ${PORT} ${target}`)
    }
    if (packages.has('flask')) {
      requireServer(packages, WSGI_SERVER, 'Flask')
      return shell(`${WSGI_SERVER} --bind 0.0.0.0:${PORT} ${target}`)
    }
  }
  if (entry) return ['python', entry.file]
  throw new BuildFailure('PRESET_NOT_APPLICABLE', 'There is no Procfile with a web process, and no main.py or app.py')
}

function requireServer(packages: ReadonlySet<string>, server: string, framework: string): void {
  if (packages.has(server)) return
  throw new BuildFailure(
    'PRESET_NOT_APPLICABLE',
    `${framework} needs a server: add ${server} to the packages (requirements.txt or pyproject.toml), or a Procfile with a web process`,
  )
}

#!/usr/bin/env node
// Stands in for the program nixpacks 1.39: the same commands, options and files, for one kind of source.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const fail = (words) => {
  console.error(`Error: ${words}`)
  process.exit(1)
}

// It must not see the worker's environment.
const foreign = Object.keys(process.env).filter((name) => !/^(NIXPACKS_\w+|PATH|HOME|LC_ALL|NO_COLOR|PWD)$/.test(name))
if (foreign.length > 0) fail(`the environment holds ${foreign.join(', ')}`)

const [command, path, ...rest] = process.argv.slice(2)
const options = { '--env': [] }
while (rest.length > 0) {
  const option = rest.shift()
  if (option === '--env') options['--env'].push(rest.shift())
  else if (option === '--no-cache') options[option] = true
  else if (['--format', '--out', '--name', '--cache-key'].includes(option)) options[option] = rest.shift()
  else fail(`unexpected argument '${option}' found`)
}

/** `NAME=value`, or the value of `NAME` in the environment. */
const given = Object.fromEntries(
  options['--env'].map((text) => {
    const [, name, value] = /^([A-Za-z0-9_-]*)=?([\s\S]*)$/.exec(text)
    return [name, value || process.env[name]]
  }),
)

const read = (name) => {
  try {
    return JSON.parse(readFileSync(join(path, name), 'utf8'))
  } catch {
    return null
  }
}
const { scripts } = read('package.json') ?? fail('Nixpacks was unable to generate a build plan for this app.')
const own = read('nixpacks.json') ?? {}
const plan = {
  buildImage: own.buildImage ?? 'ghcr.io/railwayapp/nixpacks:ubuntu-1745885067',
  variables: { CI: 'true', NIXPACKS_METADATA: 'node', NODE_ENV: 'production', ...given, ...own.variables },
  ...(own.staticAssets ? { staticAssets: own.staticAssets } : {}),
  phases: {
    setup: {
      name: 'setup',
      nixPkgs: ['nodejs_18'],
      nixpkgsArchive: own.archive ?? 'ffeebf0acf3ae8b29f8c7049cd911b9636efd7e7',
    },
    build: { name: 'build', cmds: [scripts.build ?? 'true'], cacheDirectories: ['node_modules/.cache'] },
  },
  start: { cmd: scripts.start },
}
if (command === 'plan') console.log(JSON.stringify(plan, null, 2))
else if (command === 'build') build(options['--out'])
else fail(`unrecognized subcommand '${command}'`)

function build(out) {
  const folder = join(out, '.nixpacks')
  const nix = `nixpkgs-${plan.phases.setup.nixpkgsArchive}.nix`
  const names = Object.keys(plan.variables)
  const mount = options['--no-cache']
    ? ''
    : `--mount=type=cache,id=${options['--cache-key']}-cache,target=/app/node_modules/.cache`
  const dockerfile = `FROM ${plan.buildImage}

ENTRYPOINT ["/bin/sh", "-c"]
WORKDIR /app/


COPY .nixpacks/${nix} .nixpacks/${nix}
RUN cat .nixpacks/${nix}


ARG ${names.join(' ')}
ENV ${names.map((name) => `${name}=$${name}`).join(' ')}

# setup phase
# noop

# build phase
COPY . /app/.
RUN ${mount} ${plan.phases.build.cmds[0]}


# start
COPY . /app

CMD ["${plan.start.cmd}"]

`
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(plan.staticAssets ?? {})) {
    mkdirSync(join(folder, 'assets'), { recursive: true })
    writeFileSync(join(folder, 'assets', name), content)
  }
  writeFileSync(join(folder, nix), '{ }: { }\n')
  writeFileSync(join(folder, 'Dockerfile'), dockerfile)
  const args = Object.entries(plan.variables).map(([name, value]) => `--build-arg ${name}=${value}`)
  writeFileSync(join(folder, 'build.sh'), `docker build ${out} -t ${options['--name']} ${args.join(' ')}`)
  console.log(`\nSaved output to:\n  ${out}`)
}

import { BuildFailure } from '../../domain/build-failure.ts'
import { dockerfileOf, exec } from './node-image.ts'
import { cacheMount, variableLines } from './node-package.ts'
import type { BuildPreset } from './preset.ts'

const tagOf = (version: string): string => version.replace('_', '.')

/** A program in Go: compiled without C, so that it runs on an image that has nothing else. */
export const go: BuildPreset = {
  versions: ['1_24', '1_25', '1_26'],
  defaultVersion: '1_26',
  dockerfile(request) {
    const { files, goPrograms } = request.facts
    if (!files.has('go.mod')) {
      throw new BuildFailure('PRESET_NOT_APPLICABLE', 'There is no go.mod in the build context, which the preset needs')
    }
    const program = programOf(goPrograms)
    const copied = ['go.mod', ...(files.has('go.sum') ? ['go.sum'] : [])].join(' ')
    const cache = cacheMount(request, 'go', '/root/.cache/go-build')
    return dockerfileOf(
      [`ARG GO_BUILD_IMAGE=golang:${tagOf(request.version)}-bookworm`, 'ARG GO_IMAGE=debian:12-slim'],
      [
        'FROM $GO_BUILD_IMAGE AS build',
        // A go.mod that names a newer release is compiled with that one.
        'ENV CGO_ENABLED=0 GOTOOLCHAIN=auto',
        'WORKDIR /app',
        ...(files.has('vendor') ? [] : [`COPY ${copied} ./`, 'RUN go mod download']),
        'COPY . .',
        ...variableLines(request),
        `RUN ${cache}go build -trimpath -o /program ${program}`,
      ],
      [
        'FROM $GO_IMAGE',
        'WORKDIR /app',
        // The slim image lacks them.
        'COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/',
        // Templates and pages that it reads at run time.
        'COPY . .',
        'COPY --from=build /program /usr/local/bin/program',
        // An arbitrary user id: the image has no user for programs.
        'USER 65534',
        exec(['/usr/local/bin/program']),
      ],
    )
  },
}

const NAMES_SHOWN = 5

function programOf(programs: readonly string[]): string {
  const [only, ...others] = programs.includes('.') ? ['.'] : programs
  if (only !== undefined && others.length === 0) return only === '.' ? '.' : `./${only}`
  const found = only === undefined ? 'none' : programs.slice(0, NAMES_SHOWN).join(', ')
  throw new BuildFailure(
    'PRESET_NOT_APPLICABLE',
    `The preset builds the package main of the module’s root, or the only one below cmd; found: ${found}. Add a Dockerfile that builds the one to run`,
  )
}

import { BuildFailure } from '../../domain/build-failure.ts'
import { dockerfileOf, FROM_NODE, nodeBase, nodeStage } from './node-image.ts'
import { requirePackage, variableLines } from './node-package.ts'
import type { BuildPreset } from './preset.ts'

/** The Node.js that each release of Meteor bundles, which its server part must run on. */
const NODE_OF: Readonly<Record<string, string>> = {
  '2_16': '14',
  '3_0': '20',
  '3_1': '22',
  '3_2': '22',
  '3_3': '22',
  '3_4': '22',
  '3_5': '22',
}

/** A Meteor app: bundled by Meteor's own tool, run by Node.js without it. */
export const meteorJs: BuildPreset = {
  versions: Object.keys(NODE_OF),
  defaultVersion: '3_5',
  dockerfile(request) {
    requirePackage(request)
    if (!request.facts.files.has('.meteor')) {
      throw new BuildFailure('PRESET_NOT_APPLICABLE', 'There is no folder .meteor in the build context')
    }
    const major = NODE_OF[request.version] ?? '22'
    const release = request.version.replace('_', '.')

    return dockerfileOf(
      [nodeBase(major)],
      [
        `${FROM_NODE} AS build`,
        // The tool refuses to run as root unless it is told that this is meant.
        'ENV METEOR_ALLOW_SUPERUSER=1 PATH=/root/.meteor:$PATH',
        `RUN npm install -g meteor@${release} --foreground-script`,
        'WORKDIR /app',
        'COPY . .',
        ...variableLines(request),
        'RUN meteor npm ci --no-audit --no-fund && meteor build --directory /build && mv /build/bundle /bundle',
        'RUN cd /bundle/programs/server && npm install --omit=dev --no-audit --no-fund',
      ],
      nodeStage(['COPY --from=build /bundle ./'], ['node', 'main.js']),
    )
  },
}

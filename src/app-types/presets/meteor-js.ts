import { BuildFailure } from '../../domain/build-failure.ts'
import { dockerfileOf, FROM_NODE_BUILD, nodeBase, nodeBuildBase, nodeStage } from './node-image.ts'
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
  // The tool runs the release that the source names.
  buildsEarlierReleases: true,
  dockerfile(request) {
    requirePackage(request)
    const { files } = request.facts
    if (!files.has('.meteor')) {
      throw new BuildFailure('PRESET_NOT_APPLICABLE', 'There is no folder .meteor in the build context')
    }
    const major = NODE_OF[request.version] ?? '22'
    const release = request.version.replace('_', '.')
    const install = files.has('package-lock.json') ? 'ci' : 'install'

    return dockerfileOf(
      [nodeBuildBase(major), nodeBase(major)],
      [
        `${FROM_NODE_BUILD} AS build`,
        // The tool refuses to run as root unless a flag allows it.
        'ENV METEOR_ALLOW_SUPERUSER=1 PATH=/root/.meteor:$PATH',
        // Until version 7, npm ran package scripts as nobody, who may write nowhere.
        ...(major === '14' ? ['ENV npm_config_unsafe_perm=true'] : []),
        `RUN npm install -g meteor@${release} --foreground-scripts`,
        'WORKDIR /app',
        'COPY . .',
        ...variableLines(request),
        `RUN meteor npm ${install} --no-audit --no-fund && meteor build --directory /build --server-only`,
        'RUN cd /build/bundle/programs/server && npm install --no-audit --no-fund',
      ],
      // Meteor does not start without a ROOT_URL; the environment's own value replaces it.
      nodeStage(['COPY --from=build /build/bundle ./'], ['node', 'main.js'], ' ROOT_URL=http://localhost'),
    )
  },
}
